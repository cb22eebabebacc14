package io.hudizorder.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.EmptyTable;
import io.hudizorder.concurrency.WriteInFlight.Effect;
import io.hudizorder.concurrency.WriteInFlight.Wait;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import org.apache.hudi.avro.model.HoodieRequestedReplaceMetadata;
import org.apache.hudi.client.clustering.update.strategy.SparkAllowUpdateStrategy;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.model.WriteConcurrencyMode;
import org.apache.hudi.common.model.WriteOperationType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieClusteringConfig;
import org.apache.hudi.config.HoodieWriteConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a write under way does to file group f1 of partition p, which a clustering replaces. */
class WriteInFlightTest {

  private static final String WRITE = "20260101000000001";
  private static final long PLANNED = 1_000_000_000_000L;

  @TempDir Path folder;
  private HoodieTableMetaClient table;

  @BeforeEach
  void makeTable() throws Exception {
    table = EmptyTable.in(folder, HoodieTableType.COPY_ON_WRITE);
  }

  @ParameterizedTest
  @CsvSource({"p, f1, CERTAIN", "p, f2, NONE", "q, f1, NONE"})
  void oneThatSaysWhatItChangesIsInTheWayOfNothingElse(
      String partition, String fileId, Effect effect) {
    inFlight(HoodieTimeline.COMMIT_ACTION, workload("UPSERT", partition, fileId));

    assertThat(effect("single_writer")).isEqualTo(effect);
  }

  /** Whatever partitions it says that it writes rows to: it may replace more. */
  @ParameterizedTest
  @CsvSource({"INSERT_OVERWRITE, p", "INSERT_OVERWRITE, q", "INSERT_OVERWRITE_TABLE, q"})
  void anOverwriteMayReplaceAnything(String operation, String partition) {
    inFlight(HoodieTimeline.REPLACE_COMMIT_ACTION, workload(operation, partition, ""));

    assertThat(effect("single_writer")).isEqualTo(Effect.UNKNOWN);
  }

  /** As one is named in tables of before Hudi 1.0; whatever its plan takes, of which others ask. */
  @Test
  void aClusteringThatIsNamedAReplacementIsNoOverwrite() {
    table
        .getActiveTimeline()
        .saveToPendingReplaceCommit(
            requested(HoodieTimeline.REPLACE_COMMIT_ACTION),
            HoodieRequestedReplaceMetadata.newBuilder()
                .setOperationType(WriteOperationType.CLUSTER.name())
                .setClusteringPlan(Planned.plan("f2_0-1-2_20251231000000000.parquet"))
                .build());

    assertThat(effect("single_writer")).isEqualTo(Effect.NONE);
  }

  @ParameterizedTest
  @CsvSource({"commit, UPSERT", "replacecommit, INSERT_OVERWRITE"})
  void aDeadWriterIsInNobodysWay(String action, String operation) throws IOException {
    inFlight(action, workload(operation, "p", "f1"));
    Path heartbeat = folder.resolve(".hoodie/.heartbeat").resolve(WRITE);
    Files.createDirectories(heartbeat.getParent());
    Files.createFile(heartbeat);
    assertThat(effect("single_writer")).isNotEqualTo(Effect.NONE);
    assertThat(busyPartitions()).containsExactly("p");

    Files.setLastModifiedTime(heartbeat, FileTime.fromMillis(PLANNED));

    assertThat(effect("single_writer")).isEqualTo(Effect.NONE);
    assertThat(busyPartitions()).isEmpty();
  }

  /** Inline TTL leaves one after each write, until the next, where no partition has expired. */
  @ParameterizedTest
  @CsvSource({
    "DELETE_PARTITION, 170, false, UNKNOWN, WHILE_THERE_IS_TIME",
    "DELETE_PARTITION, 190, false, NONE, WHILE_THERE_IS_TIME",
    "DELETE_PARTITION, 190, true, UNKNOWN, TO_ITS_END",
    "INSERT_OVERWRITE, 190, false, UNKNOWN, TO_ITS_END"
  })
  void aRequestToDeleteExpiredPartitionsIsDeadWhereNoneAreDeleted(
      String operation, int seconds, boolean begun, Effect effect, Wait wait) throws IOException {
    HoodieInstant requested = requested(HoodieTimeline.REPLACE_COMMIT_ACTION);
    table
        .getActiveTimeline()
        .saveToPendingReplaceCommit(
            requested,
            HoodieRequestedReplaceMetadata.newBuilder().setOperationType(operation).build());
    Files.setLastModifiedTime(
        timeline().resolve(WRITE + ".replacecommit.requested"),
        FileTime.from(Instant.now().minus(seconds, ChronoUnit.SECONDS)));
    if (begun) {
      table
          .getActiveTimeline()
          .transitionRequestedToInflight(requested, Option.of(new HoodieCommitMetadata()));
    }

    assertThat(effect("single_writer")).isEqualTo(effect);
    assertThat(write(config("single_writer")).waitBesideOthers()).isEqualTo(wait);
  }

  /** However often this process beats, which is no affair of other writers. */
  @Test
  void aWriterThatBeatsAsSeldomAsByDefaultIsAlive() throws IOException {
    inFlight(HoodieTimeline.COMMIT_ACTION, workload("UPSERT", "p", "f1"));
    Path heartbeat = folder.resolve(".hoodie/.heartbeat").resolve(WRITE);
    Files.createDirectories(heartbeat.getParent());
    Files.createFile(heartbeat);
    Files.setLastModifiedTime(
        heartbeat, FileTime.from(Instant.now().minus(150, ChronoUnit.SECONDS)));

    assertThat(effect(builder("single_writer").withHeartbeatIntervalInMs(1_000).build()))
        .isEqualTo(Effect.CERTAIN);
  }

  /** It deletes what it likes, until nobody knows when. */
  @Test
  void aRestoreMayTakeAnythingBack() {
    table.getActiveTimeline().createNewInstant(requested(HoodieTimeline.RESTORE_ACTION));

    assertThat(effect("single_writer")).isEqualTo(Effect.UNKNOWN);
  }

  @ParameterizedTest
  @CsvSource({
    "3, single_writer, NONE",
    // The clocks of the storage and of this machine may differ.
    "1, single_writer, UNKNOWN",
    "-9, single_writer, UNKNOWN",
    // Writers who lock the table need heed no plan.
    "3, optimistic_concurrency_control, UNKNOWN"
  })
  void oneThatSaysNothingYetHeedsAPlanThatItCouldSee(int seconds, String mode, Effect effect)
      throws IOException {
    table.getActiveTimeline().createNewInstant(requested(HoodieTimeline.COMMIT_ACTION));
    Files.setLastModifiedTime(
        timeline().resolve(WRITE + ".commit.requested"),
        FileTime.fromMillis(PLANNED + 1000L * seconds));

    assertThat(effect(mode)).isEqualTo(effect);
  }

  @Test
  void oneOfWritersThatAreToldToHeedNoPlanMayWriteToWhatIsPlanned() throws IOException {
    afterThePlan(WRITE + ".commit.requested");

    assertThat(effect(builder("single_writer").withProperties(allowUpdates()).build()))
        .isEqualTo(Effect.UNKNOWN);
  }

  @Test
  void oneOfFlinkHeedsNoPlan() throws IOException {
    afterThePlan(WRITE + ".inflight");
    assertThat(effect("single_writer")).isEqualTo(Effect.NONE);

    Path checkpoints = Files.createDirectories(folder.resolve(".hoodie/.aux/ckp_meta"));
    Files.createFile(checkpoints.resolve(WRITE + ".INFLIGHT"));

    assertThat(effect("single_writer")).isEqualTo(Effect.UNKNOWN);
  }

  private void afterThePlan(String pending) throws IOException {
    table.getActiveTimeline().createNewInstant(requested(HoodieTimeline.COMMIT_ACTION));
    Path file = timeline().resolve(WRITE + ".commit.requested");
    Files.setLastModifiedTime(file, FileTime.fromMillis(PLANNED + 9_000));
    if (!Files.exists(timeline().resolve(pending))) {
      Files.createFile(timeline().resolve(pending));
    }
  }

  private static Properties allowUpdates() {
    Properties settings = new Properties();
    settings.setProperty(
        HoodieClusteringConfig.UPDATES_STRATEGY.key(), SparkAllowUpdateStrategy.class.getName());
    return settings;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneThatHasJustEndedIsLookedAtAgain(boolean saysWhatItChanges) throws IOException {
    if (saysWhatItChanges) {
      inFlight(HoodieTimeline.COMMIT_ACTION, workload("UPSERT", "p", "f1"));
    } else {
      table.getActiveTimeline().createNewInstant(requested(HoodieTimeline.COMMIT_ACTION));
    }
    HoodieTableMetaClient then = HoodieTableMetaClient.reload(table);
    HoodieInstant pending = then.getActiveTimeline().lastInstant().get();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(timeline(), WRITE + "*")) {
      for (Path file : files) {
        Files.delete(file);
      }
    }

    assertThat(new WriteInFlight(then, config("single_writer"), pending).effect(groups(), PLANNED))
        .isEqualTo(Effect.UNKNOWN);
  }

  /** As a full disk leaves it; its writer is dead, and the next write rolls it back. */
  @Test
  void oneWhoseWorkloadWasNotWrittenWholeMayChangeAnything() throws IOException {
    inFlight(HoodieTimeline.COMMIT_ACTION, workload("UPSERT", "p", "f1"));
    Path inflight = timeline().resolve(WRITE + ".inflight");
    Files.deleteIfExists(timeline().resolve("." + WRITE + ".inflight.crc"));
    byte[] whole = Files.readAllBytes(inflight);
    Files.write(inflight, Arrays.copyOf(whole, whole.length / 2));

    assertThat(effect("single_writer")).isEqualTo(Effect.UNKNOWN);
    assertThat(busyPartitions()).isEmpty();
  }

  private Path timeline() {
    return folder.resolve(".hoodie/timeline");
  }

  /** New rows alone need no file that is there; whoever overwrites a partition takes them all. */
  @ParameterizedTest
  @CsvSource({
    "commit, UPSERT, f1, true",
    "commit, INSERT, '', false",
    "replacecommit, INSERT_OVERWRITE, '', true"
  })
  void aPartitionIsBusyWhereItsFilesAreChanged(
      String action, String operation, String fileId, boolean busy) {
    inFlight(action, workload(operation, "p", fileId));

    assertThat(busyPartitions().contains("p")).isEqualTo(busy);
  }

  private Set<String> busyPartitions() {
    return WriteInFlight.busyPartitions(
        HoodieTableMetaClient.reload(table), config("single_writer"));
  }

  private Effect effect(String mode) {
    return effect(config(mode));
  }

  private Effect effect(HoodieWriteConfig config) {
    return write(config).effect(groups(), PLANNED);
  }

  private WriteInFlight write(HoodieWriteConfig config) {
    HoodieTableMetaClient now = HoodieTableMetaClient.reload(table);
    HoodieInstant pending = now.getActiveTimeline().lastInstant().get();
    return new WriteInFlight(now, config, pending);
  }

  private static FileGroups groups() {
    return Planned.files("f1_0-1-2_20251231000000000.parquet");
  }

  private HoodieWriteConfig config(String mode) {
    return builder(mode).build();
  }

  private HoodieWriteConfig.Builder builder(String mode) {
    return HoodieWriteConfig.newBuilder()
        .withPath(folder.toString())
        .withWriteConcurrencyMode(WriteConcurrencyMode.valueOf(mode.toUpperCase(Locale.ROOT)));
  }

  private HoodieInstant requested(String action) {
    return table.createNewInstant(HoodieInstant.State.REQUESTED, action, WRITE);
  }

  private void inFlight(String action, HoodieCommitMetadata workload) {
    HoodieInstant requested = requested(action);
    table.getActiveTimeline().createNewInstant(requested);
    table.getActiveTimeline().transitionRequestedToInflight(requested, Option.of(workload));
  }

  private static HoodieCommitMetadata workload(String operation, String partition, String fileId) {
    HoodieWriteStat stat = new HoodieWriteStat();
    stat.setFileId(fileId);
    HoodieCommitMetadata workload = new HoodieCommitMetadata();
    workload.addWriteStat(partition, stat);
    workload.setOperationType(WriteOperationType.valueOf(operation));
    return workload;
  }
}
