package io.hudizorder.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.hudizorder.EmptyTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieRequestedReplaceMetadata;
import org.apache.hudi.common.config.HoodieMetadataConfig;
import org.apache.hudi.common.engine.HoodieLocalEngineContext;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.model.WriteConcurrencyMode;
import org.apache.hudi.common.model.WriteOperationType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieActiveTimeline;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieInstant.State;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.hadoop.fs.HadoopFSUtils;
import org.apache.hudi.storage.StorageConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ConcurrentWritesTest {

  private static final String WRITE = "20260101000000001";
  private static final String CLUSTERING = "20260101000000002";
  private static final String LATER = "20260101000000003";
  private static final String BASE = "f1_0-1-2_" + WRITE + ".parquet";
  private static final String LOG = ".f1_" + WRITE + ".log.1_0-3-4";

  private final StorageConfiguration<Configuration> storage =
      HadoopFSUtils.getStorageConf(new Configuration());

  /**
   * Before Hudi 1.0 a plan takes the logs of writes in flight, and readers pass over their rows.
   */
  @Test
  void aWriteWhoseLogIsPlannedButNotReadIsGivenWayTo(@TempDir Path folder) throws Exception {
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.MERGE_ON_READ);
    HoodieActiveTimeline timeline = table.getActiveTimeline();
    HoodieInstant write =
        table.createNewInstant(State.REQUESTED, HoodieTimeline.DELTA_COMMIT_ACTION, WRITE);
    timeline.createNewInstant(write);
    timeline.transitionRequestedToInflight(write, Option.empty());
    HoodieInstant inflight =
        table.createNewInstant(State.INFLIGHT, HoodieTimeline.DELTA_COMMIT_ACTION, WRITE);
    HoodieClusteringPlan plan = Planned.plan(BASE, "/lake/t/p/" + LOG);
    begin(table, plan);

    ConcurrentWrites others = beside(table, plan);
    timeline.saveAsComplete(inflight, Option.of(commit()));

    assertThatThrownBy(others::requireNone)
        .isInstanceOf(ConcurrentWriteException.class)
        .hasMessage(
            "write %s, which was committed since it was planned, wrote to file group p/f1", WRITE);
  }

  /** What a look at files finds, for nothing lies in the folder. */
  private static final String LOOKED = "since it was planned, somebody has written to";

  /** A clean, as one of all that is on a timeline beside writes. */
  enum Other {
    LONG_BEFORE("20251231235900000", "20251231235901000", false),
    JUST_BEFORE("20251231235900000", "20251231235955000", true),
    ENDED_SINCE("20251231235900000", "20260101000000003", true),
    UNDER_WAY("20251231235900000", "", true);

    private final String requested;
    private final String completed;
    private final boolean looked;

    Other(String requested, String completed, boolean looked) {
      this.requested = requested;
      this.completed = completed;
      this.looked = looked;
    }

    void put(Path timeline) throws IOException {
      Files.writeString(timeline.resolve(requested + ".clean.requested"), "");
      Files.writeString(timeline.resolve(requested + ".clean.inflight"), "");
      if (!completed.isEmpty()) {
        Files.writeString(timeline.resolve(requested + "_" + completed + ".clean"), "");
      }
    }
  }

  /** Before the commit they are looked at in any case. */
  @ParameterizedTest
  @EnumSource(Other.class)
  void filesAreLookedAtBeforeTheWorkWhereSomethingMayHaveChangedThem(
      Other other, @TempDir Path folder) throws Exception {
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.COPY_ON_WRITE);
    other.put(folder.resolve(".hoodie/timeline"));
    HoodieClusteringPlan plan = Planned.plan(BASE);
    begin(table, plan);
    ConcurrentWrites others = beside(table, plan);

    Throwable found = catchThrowable(others::requireNone);

    if (other.looked) {
      assertThat(found).hasMessageContaining(LOOKED);
    } else {
      assertThat(found).isNull();
    }
    assertThatThrownBy(others::awaitNone).hasMessageContaining(LOOKED);
  }

  /** Hudi takes the commits of both, and has their rows twice. */
  @Test
  void aCommitBesideItsOwnIsFoundAfterwards(@TempDir Path folder) throws Exception {
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.COPY_ON_WRITE);
    HoodieClusteringPlan plan = Planned.plan(BASE);
    begin(table, plan);
    ConcurrentWrites others = beside(table, plan);
    Path timeline = folder.resolve(".hoodie/timeline");
    Files.createFile(timeline.resolve(CLUSTERING + "_20260101000000003.replacecommit"));
    others.requireNoneSince(HoodieTableMetaClient.reload(table));

    Files.createFile(timeline.resolve(CLUSTERING + "_20260101000000004.replacecommit"));

    assertThatThrownBy(() -> others.requireNoneSince(HoodieTableMetaClient.reload(table)))
        .isInstanceOf(ConcurrentWriteException.class)
        .hasMessage("another process has executed and committed it too");
  }

  /** Hudi would show the columns of the clustering, which was requested later, and not these. */
  @Test
  void aColumnThatAWriteToOtherFilesHasAddedMeanwhileIsGivenWayTo(@TempDir Path folder)
      throws Exception {
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.COPY_ON_WRITE);
    String base = "f1_0-1-2_20251231235900000.parquet";
    Files.createFile(Files.createDirectories(folder.resolve("p")).resolve(base));
    Files.createFile(folder.resolve(".hoodie/timeline/20251231235900000_20251231235901000.commit"));
    HoodieActiveTimeline timeline = table.getActiveTimeline();
    HoodieInstant write =
        table.createNewInstant(State.REQUESTED, HoodieTimeline.COMMIT_ACTION, WRITE);
    timeline.createNewInstant(write);
    timeline.transitionRequestedToInflight(write, Option.empty());
    HoodieClusteringPlan plan = Planned.plan(base);
    begin(table, plan);
    ConcurrentWrites others = beside(table, plan);
    HoodieCommitMetadata commit = new HoodieCommitMetadata();
    commit.addMetadata(HoodieCommitMetadata.SCHEMA_KEY, schema("a", "b"));

    timeline.saveAsComplete(
        table.createNewInstant(State.INFLIGHT, HoodieTimeline.COMMIT_ACTION, WRITE),
        Option.of(commit));

    String told =
        "write %s, which was committed since it was planned, changed the column 'b' of the table";
    assertThatThrownBy(others::awaitNone).hasMessage(told, WRITE);
    assertThatThrownBy(() -> others.requireNoneSince(HoodieTableMetaClient.reload(table)))
        .hasMessage(told, WRITE);
  }

  /** Writers who pend without a gap: one ends, and by then another has begun. */
  @ParameterizedTest
  @CsvSource({
    "optimistic_concurrency_control, true, true, true",
    "optimistic_concurrency_control, true, false, false", // does not lock, as it does not beat
    "single_writer, true, true, false",
    "single_writer, false, true, true",
    "optimistic_concurrency_control, false, false, true"
  })
  void whoBeginsDuringAWaitIsWaitedForUnlessHudiChecksItOrTheCommitIsMade(
      String mode, boolean before, boolean beats, boolean ends, @TempDir Path folder)
      throws Exception {
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.COPY_ON_WRITE);
    String base = "f1_0-1-2_20251231235900000.parquet";
    Files.createFile(Files.createDirectories(folder.resolve("p")).resolve(base));
    Files.createFile(folder.resolve(".hoodie/timeline/20251231235900000_20251231235901000.commit"));
    HoodieClusteringPlan plan = Planned.plan(base);
    begin(table, plan);
    String action = mode.equals("single_writer") ? "replacecommit" : "commit"; // that tell nothing
    Path first = pending(folder, WRITE, action, beats);
    ConcurrentWrites others = beside(table, plan, mode, Duration.ofSeconds(ends ? 60 : 2));

    AtomicReference<Throwable> told = new AtomicReference<>();
    Thread waiting =
        new Thread(
            () ->
                told.set(
                    catchThrowable(
                        () -> {
                          if (before) {
                            others.awaitNone();
                          } else {
                            others.requireNoneSince(HoodieTableMetaClient.reload(table));
                          }
                        })));
    waiting.start();
    while (waiting.getState() != Thread.State.TIMED_WAITING) { // has taken its first reading
      Thread.sleep(10);
    }
    pending(folder, LATER, action, beats);
    Files.delete(first);
    waiting.join();

    if (ends) {
      assertThat(told.get()).isNull();
    } else {
      assertThat(told.get())
          .isInstanceOf(UnendedWriteException.class)
          .hasMessageStartingWith("write %s has not ended within 2 seconds", LATER);
    }
  }

  /** A write that tells nothing, as of a bulk insert, with a sign that its writer lives. */
  private static Path pending(Path folder, String write, String action, boolean beats)
      throws IOException {
    Path heartbeats = Files.createDirectories(folder.resolve(".hoodie/.heartbeat"));
    if (beats) {
      Files.createFile(heartbeats.resolve(write));
    }
    return Files.createFile(
        folder.resolve(".hoodie/timeline/" + write + "." + action + ".requested"));
  }

  private static String schema(String... columns) {
    return Arrays.stream(columns)
        .map(column -> "{\"name\":\"" + column + "\",\"type\":[\"null\",\"int\"]}")
        .collect(Collectors.joining(",", "{\"type\":\"record\",\"name\":\"t\",\"fields\":[", "]}"));
  }

  private static void begin(HoodieTableMetaClient table, HoodieClusteringPlan plan) {
    HoodieActiveTimeline timeline = table.getActiveTimeline();
    HoodieInstant clustering =
        table.createNewInstant(State.REQUESTED, HoodieTimeline.CLUSTERING_ACTION, CLUSTERING);
    timeline.saveToPendingClusterCommit(
        clustering,
        HoodieRequestedReplaceMetadata.newBuilder()
            .setOperationType(WriteOperationType.CLUSTER.name())
            .setClusteringPlan(plan)
            .build());
    timeline.transitionClusterRequestedToInflight(clustering, Option.empty());
  }

  private ConcurrentWrites beside(HoodieTableMetaClient table, HoodieClusteringPlan plan) {
    return beside(table, plan, "single_writer", Duration.ZERO);
  }

  private ConcurrentWrites beside(
      HoodieTableMetaClient table, HoodieClusteringPlan plan, String mode, Duration patience) {
    return ConcurrentWrites.beside(
        new HoodieLocalEngineContext(storage),
        HoodieTableMetaClient.reload(table),
        HoodieWriteConfig.newBuilder()
            .withPath(table.getBasePath().toString())
            .withSchema(schema("a"))
            .withWriteConcurrencyMode(WriteConcurrencyMode.valueOf(mode.toUpperCase(Locale.ROOT)))
            .withMetadataConfig(HoodieMetadataConfig.newBuilder().enable(false).build())
            .build(),
        plan,
        CLUSTERING,
        patience);
  }

  private static HoodieCommitMetadata commit() {
    HoodieWriteStat stat = new HoodieWriteStat();
    stat.setPartitionPath("p");
    stat.setFileId("f1");
    stat.setPath("p/" + LOG);
    HoodieCommitMetadata commit = new HoodieCommitMetadata();
    commit.addWriteStat("p", stat);
    return commit;
  }
}
