package io.hudizorder.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.hudizorder.EmptyTable;
import io.hudizorder.hudi.Instants;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hudi.avro.model.HoodieInstantInfo;
import org.apache.hudi.avro.model.HoodieRollbackPlan;
import org.apache.hudi.avro.model.HoodieRollbackRequest;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.storage.StoragePath;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RollbacksTest {

  private static final String WRITE = "20260101000000001";
  private static final String CLUSTERING = "20260101000000002";
  private static final String ROLLBACK = "20260101000000003";
  private static final String BASE = "f1_0-1-2_" + WRITE + ".parquet";
  private static final String LOG = ".f1_" + WRITE + ".log.1_0-3-4";

  @TempDir Path folder;
  private HoodieTableMetaClient table;
  private final Rollbacks rollbacks = new Rollbacks(CLUSTERING);

  @BeforeEach
  void makeTable() throws Exception {
    table = EmptyTable.in(folder, HoodieTableType.MERGE_ON_READ);
  }

  @Test
  void aRollbackOfTheClusteringIsRefusedAndItsPlanReadOnce() throws Exception {
    HoodieInstant requested = request(ROLLBACK, CLUSTERING, List.of(), Map.of());
    HoodieTableMetaClient read = now();

    assertThatThrownBy(() -> rollbacks.refuseOwn(read))
        .isInstanceOf(ConcurrentWriteException.class)
        .hasMessageContaining("another process has begun to execute it");

    String name = table.getInstantFileNameGenerator().getFileName(requested);
    assertThat(table.getStorage().deleteFile(new StoragePath(table.getTimelinePath(), name)))
        .isTrue();
    assertThatThrownBy(() -> rollbacks.refuseOwn(read))
        .isInstanceOf(ConcurrentWriteException.class);
  }

  @Test
  void aRollbackOfWhatTheClusteringHasReadIsRefused() {
    request(ROLLBACK, WRITE, List.of("/lake/t/p/" + BASE), Map.of());

    assertThatThrownBy(() -> rollbacks.refuseAny(now(), Planned.files(BASE, LOG)))
        .isInstanceOf(ConcurrentWriteException.class)
        .hasMessage(
            "rollback %s takes back write %s, which wrote to file group p/f1", ROLLBACK, WRITE);
    assertThatCode(() -> rollbacks.refuseOwn(now())).doesNotThrowAnyException();
    assertThat(rollbacks.undone(now())).containsExactly(WRITE);
    assertThat(rollbacks.deleted(now())).containsExactly(BASE);
  }

  @Test
  void soIsOneThatCrossesOutInALogThatItHasRead() {
    request(ROLLBACK, WRITE, List.of(), Map.of("/lake/t/p/" + LOG, 1L));

    assertThatThrownBy(() -> rollbacks.refuseAny(now(), Planned.files(BASE, LOG)))
        .isInstanceOf(ConcurrentWriteException.class);
  }

  @Test
  void aRollbackOfOtherFilesIsNoHindrance() {
    request(ROLLBACK, WRITE, List.of("/lake/t/p/f2_0-1-2_" + WRITE + ".parquet"), Map.of());

    assertThatCode(() -> rollbacks.refuseAny(now(), Planned.files(BASE, LOG)))
        .doesNotThrowAnyException();
  }

  @Test
  void whatIsPassedOverIsWhatHasEndedAndWhatIsOfTheClustering() {
    request(ROLLBACK, CLUSTERING, List.of(), Map.of());
    request("20260101000000004", WRITE, List.of("/lake/t/p/" + BASE), Map.of());

    rollbacks.passOverEnded(now());

    assertThatCode(() -> rollbacks.refuseOwn(now())).doesNotThrowAnyException();
    assertThatThrownBy(() -> rollbacks.refuseAny(now(), Planned.files(BASE, LOG)))
        .isInstanceOf(ConcurrentWriteException.class);
  }

  /** By who has waited for the lock under which the clustering was committed, or died meanwhile. */
  @ParameterizedTest
  @CsvSource({"20260101000000002, true", "20260101000000004, true", "20260101000000999, false"})
  void oneOfTheClusteringIsPassedOverThatEndedBeforeItsCommit(String committed, boolean refused)
      throws IOException {
    request(ROLLBACK, CLUSTERING, List.of(), Map.of());
    complete(ROLLBACK);

    rollbacks.passOverOlder(now(), millis(committed));

    assertThat(catchThrowable(() -> rollbacks.refuseOwn(now())) != null).isEqualTo(refused);
  }

  @Test
  void oneOfTheClusteringIsNotPassedOverThatHasNotEnded() {
    request(ROLLBACK, CLUSTERING, List.of(), Map.of());

    rollbacks.passOverOlder(now(), millis("20260101000000999"));

    assertThatThrownBy(() -> rollbacks.refuseOwn(now()))
        .isInstanceOf(ConcurrentWriteException.class);
  }

  /** Of a write that it has read, it may delete files at any moment. */
  @Test
  void oneUnderWayIsNotPassedOverHoweverOld() {
    request("20260101000000000", WRITE, List.of("/lake/t/p/" + BASE), Map.of());

    rollbacks.passOverOlder(now(), millis("20260101000000009"));

    assertThatThrownBy(() -> rollbacks.refuseAny(now(), Planned.files(BASE, LOG)))
        .isInstanceOf(ConcurrentWriteException.class);
  }

  /** As a full disk leaves it; Hudi passes it over, and others have gone on for long. */
  @ParameterizedTest
  @ValueSource(strings = {"", "Obj\u0001\u0004\u0014avro.codec"})
  void oneThatWasNotWrittenWholeTakesNothingBack(String left) throws Exception {
    Path requested = folder.resolve(".hoodie/timeline/" + ROLLBACK + ".rollback.requested");
    Files.writeString(requested, left);

    rollbacks.passOverEnded(now());
    rollbacks.passOverOlder(now(), millis("20260101000000009"));

    assertThatCode(() -> rollbacks.refuseOwn(now())).doesNotThrowAnyException();
    assertThatCode(() -> rollbacks.refuseAny(now(), Planned.files(BASE, LOG)))
        .doesNotThrowAnyException();
    assertThat(rollbacks.undone(now())).isEmpty();
    assertThat(rollbacks.deleted(now())).isEmpty();
    Files.delete(requested);
    request(ROLLBACK, CLUSTERING, List.of(), Map.of());
    assertThatThrownBy(() -> rollbacks.refuseOwn(now()))
        .isInstanceOf(ConcurrentWriteException.class);
  }

  /** What executes it has read it, and so it is there that storage fails. */
  @Test
  void oneUnderWayWhosePlanCannotBeReadIsNotPassedOver() throws Exception {
    Files.writeString(folder.resolve(".hoodie/timeline/" + ROLLBACK + ".rollback.inflight"), "");

    assertThatThrownBy(() -> rollbacks.refuseOwn(now()))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageStartingWith("Cannot read the rollback '");
  }

  /** A younger one may be of a write that the clustering has read. */
  @ParameterizedTest
  @CsvSource({"20260101000000000, false", "20260101000000003, true"})
  void oneThatHasEndedIsPassedOverThatIsOlderThanTheClustering(String rollback, boolean refused)
      throws IOException {
    request(rollback, WRITE, List.of("/lake/t/p/" + BASE), Map.of());
    complete(rollback);

    rollbacks.passOverOlder(now(), millis("20260101000000009"));

    assertThat(catchThrowable(() -> rollbacks.refuseAny(now(), Planned.files(BASE))) != null)
        .isEqualTo(refused);
  }

  /** Its effect shows in the files that are there to be read. */
  @Test
  void oneThatHasEndedBeforeTheClusteringBeganIsPassedOver() throws IOException {
    request(ROLLBACK, WRITE, List.of("/lake/t/p/" + BASE), Map.of());
    complete(ROLLBACK);

    rollbacks.passOverEnded(now());

    assertThat(rollbacks.undone(now())).isEmpty();
    assertThatCode(() -> rollbacks.refuseAny(now(), Planned.files(BASE)))
        .doesNotThrowAnyException();
  }

  @Test
  void filesThatARollbackHasDeletedAreNotMissed() {
    FileGroups groups = Planned.files(BASE, LOG);

    assertThat(groups.without(Set.of(LOG)).holding(Set.of(BASE))).hasSize(1);
    assertThat(groups.without(Set.of(LOG)).holding(Set.of(LOG))).isEmpty();
    assertThat(groups.without(Set.of(LOG, BASE)).partitions()).isEmpty();
  }

  /** Its plan is what is read of it, whatever it has done. */
  private void complete(String rollback) throws IOException {
    Files.createFile(
        folder
            .resolve(".hoodie/timeline")
            .resolve(rollback + "_" + rollback.substring(0, 15) + "99.rollback"));
  }

  private long millis(String time) {
    return Instants.momentOf(time, Instants.zoneOf(table)).getAsLong();
  }

  private HoodieTableMetaClient now() {
    return HoodieTableMetaClient.reload(table);
  }

  private HoodieInstant request(
      String rollback, String undone, List<String> files, Map<String, Long> logs) {
    HoodieInstant requested =
        table.createNewInstant(
            HoodieInstant.State.REQUESTED, HoodieTimeline.ROLLBACK_ACTION, rollback);
    HoodieInstantInfo instant = new HoodieInstantInfo(undone, HoodieTimeline.COMMIT_ACTION);
    HoodieRollbackRequest request = new HoodieRollbackRequest("p", "", "", files, logs);
    table
        .getActiveTimeline()
        .saveToRollbackRequested(requested, new HoodieRollbackPlan(instant, List.of(request), 1));
    return requested;
  }
}
