package io.hudizorder.hudi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hudizorder.EmptyTable;
import java.io.File;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.TimeZone;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieRequestedReplaceMetadata;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.model.HoodieTimelineTimeZone;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieActiveTimeline;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieInstantTimeGenerator;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.util.Option;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables of version 6, in processes west and east of the zone of their instants. */
class FileTimesTest {

  private static final TimeZone HERE = TimeZone.getDefault();

  @TempDir Path folder;
  private HoodieTableMetaClient table;

  @AfterEach
  void goBack() {
    TimeZone.setDefault(HERE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"America/New_York", "Asia/Tokyo", "UTC"})
  void whatIsCommittedSinceAPlanIsFoundInAnyZone(String here) throws Exception {
    createTable(here, HoodieTimelineTimeZone.UTC);
    String before = commit();
    setTimes(before, Instant.now().minusSeconds(60));
    String plan = plan();
    String since = commit();

    HoodieTableMetaClient now = HoodieTableMetaClient.reload(table);
    List<HoodieInstant> found = FormatCalls.here().completedSince(now, plan);

    assertThat(found.stream().map(Instants::timeOf)).containsExactly(since);
    assertThat(FormatCalls.here().completedAt(now, found.get(0)))
        .isCloseTo(System.currentTimeMillis(), within(60_000L));
    assertThat(FormatCalls.here().mergeTime(found.get(0))).isEqualTo(since);
  }

  /** Clocks in Berlin went from three back to two in between. */
  @ParameterizedTest
  @EnumSource
  void soIsWhatIsCommittedAtAnEarlierHourOfClocksThatGoBack(HoodieTimelineTimeZone zone)
      throws Exception {
    createTable("Europe/Berlin", zone);
    setTimes(commit(), Instant.parse("2026-10-25T00:30:00Z"));
    String plan = plan();
    setTimes(plan, Instant.parse("2026-10-25T00:50:00Z"));
    String since = commit();
    Instant completed = Instant.parse("2026-10-25T01:10:00Z");
    setTimes(since, completed);

    HoodieTableMetaClient now = HoodieTableMetaClient.reload(table);
    List<HoodieInstant> found = FormatCalls.here().completedSince(now, plan);

    assertThat(found.stream().map(Instants::timeOf)).containsExactly(since);
    assertThat(FormatCalls.here().completedAt(now, found.get(0)))
        .isEqualTo(completed.toEpochMilli());
  }

  /** Whose zone is the process's, or was when Hudi first asked for it. */
  @ParameterizedTest
  @CsvSource({"America/New_York, UTC", "America/New_York, LOCAL", "Asia/Tokyo, LOCAL"})
  void nowIsInTheZoneOfInstants(String here, HoodieTimelineTimeZone zone) throws Exception {
    createTable(here, zone);
    String earlier = now();

    String found = Instants.now(table);

    assertThat(found).isBetween(earlier, now());
  }

  /** Hudi then finds no writes by when they were completed, in whatever plans are made of them. */
  @ParameterizedTest
  @CsvSource({
    "Asia/Tokyo, UTC, true",
    "Asia/Tokyo, LOCAL, false",
    "UTC, UTC, false",
    "Etc/UTC, UTC, false"
  })
  void timesOfFilesAreInTheZoneOfInstantsOrNot(
      String here, HoodieTimelineTimeZone zone, boolean another) throws Exception {
    createTable(here, zone);

    assertThat(FileTimes.areInAnotherZone(table)).isEqualTo(another);
  }

  private void createTable(String here, HoodieTimelineTimeZone zone) throws Exception {
    TimeZone.setDefault(TimeZone.getTimeZone(here));
    table =
        HoodieTableMetaClient.newTableBuilder()
            .setTableType(HoodieTableType.COPY_ON_WRITE)
            .setTableName("t")
            .setTableVersion(6)
            .setCommitTimezone(zone)
            .initTable(EmptyTable.storage(), folder.toString());
  }

  private String plan() {
    String time = now();
    HoodieInstant plan = requested(HoodieTimeline.REPLACE_COMMIT_ACTION, time);
    HoodieClusteringPlan none = HoodieClusteringPlan.newBuilder().setInputGroups(List.of()).build();
    HoodieActiveTimeline timeline = table.getActiveTimeline();
    timeline.saveToPendingReplaceCommit(
        plan,
        HoodieRequestedReplaceMetadata.newBuilder()
            .setOperationType("CLUSTER")
            .setClusteringPlan(none)
            .build());
    timeline.transitionReplaceRequestedToInflight(plan, Option.empty());
    return time;
  }

  private String commit() {
    String time = now();
    HoodieActiveTimeline timeline = table.getActiveTimeline();
    HoodieInstant requested = requested(HoodieTimeline.COMMIT_ACTION, time);
    timeline.createNewInstant(requested);
    timeline.transitionRequestedToInflight(requested, Option.empty(), true);
    HoodieInstant inflight =
        table
            .getInstantGenerator()
            .createNewInstant(HoodieInstant.State.INFLIGHT, HoodieTimeline.COMMIT_ACTION, time);
    timeline.saveAsComplete(false, inflight, Option.of(new HoodieCommitMetadata()));
    return time;
  }

  private HoodieInstant requested(String action, String time) {
    return FormatCalls.here().requested(table, action, time);
  }

  private String now() {
    return HoodieInstantTimeGenerator.formatDateBasedOnTimeZone(new Date());
  }

  private void setTimes(String time, Instant written) {
    File[] files = folder.resolve(".hoodie").toFile().listFiles(file -> file.isFile());
    List<File> ofInstant =
        List.of(files).stream()
            .filter(file -> file.getName().startsWith(time))
            .collect(Collectors.toList());
    assertThat(ofInstant).isNotEmpty();
    ofInstant.forEach(file -> assertThat(file.setLastModified(written.toEpochMilli())).isTrue());
  }
}
