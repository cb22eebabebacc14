package io.hudizorder.concurrency;

import static io.hudizorder.concurrency.PlannedTable.CLUSTERING;
import static io.hudizorder.concurrency.PlannedTable.begin;
import static io.hudizorder.concurrency.PlannedTable.beside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.hudizorder.EmptyTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieInstant.State;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.util.Option;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ConcurrentWritesTest {

  private static final String WRITE = "20260101000000001";
  private static final String LATER = "20260101000000003";
  private static final String BASE = "f1_0-1-2_" + WRITE + ".parquet";

  private static final HoodieClusteringPlan PLAN = Planned.plan(PlannedTable.FILE);
  private static final String LOG = ".f1_" + WRITE + ".log.1_0-3-4";
  private static final HoodieClusteringPlan OF_LOG = Planned.plan(BASE, "/lake/t/p/" + LOG);

  /**
   * Before Hudi 1.0 a plan takes the logs of writes in flight, and readers pass over their rows.
   */
  @Test
  void aWriteWhoseLogIsPlannedButNotReadIsGivenWayTo(@TempDir Path folder) throws Exception {
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.MERGE_ON_READ);
    HoodieInstant inflight = write(table);
    begin(table, OF_LOG);

    ConcurrentWrites others = beside(table, OF_LOG);
    table.getActiveTimeline().saveAsComplete(inflight, Option.of(commit()));

    for (ThrowingCallable look :
        List.<ThrowingCallable>of(
            others::requireNone,
            others::awaitNone,
            () -> others.requireNoneSince(HoodieTableMetaClient.reload(table)))) {
      assertThatThrownBy(look)
          .isInstanceOf(ConcurrentWriteException.class)
          .hasMessage(
              "write %s, which was committed since it was planned, wrote to file group p/f1",
              WRITE);
    }
  }

  /** It ended before the execution began, which reads it, and has added nothing to it since. */
  @Test
  void oneWhoseLogIsPlannedAndReadIsNoHindrance(@TempDir Path folder) throws Exception {
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.MERGE_ON_READ);
    HoodieInstant inflight = write(table);
    begin(table, OF_LOG);
    table.getActiveTimeline().saveAsComplete(inflight, Option.of(commit()));

    assertThatThrownBy(beside(table, OF_LOG)::requireNone).hasMessageStartingWith(LOOKED);
  }

  /** Begins the write whose log is planned. */
  private static HoodieInstant write(HoodieTableMetaClient table) {
    HoodieInstant write =
        table.createNewInstant(State.REQUESTED, HoodieTimeline.DELTA_COMMIT_ACTION, WRITE);
    table.getActiveTimeline().createNewInstant(write);
    table.getActiveTimeline().transitionRequestedToInflight(write, Option.empty());
    return table.createNewInstant(State.INFLIGHT, HoodieTimeline.DELTA_COMMIT_ACTION, WRITE);
  }

  /** What a look at files finds, for nothing lies in the folder. */
  private static final String LOOKED = "since it was planned, somebody has written to";

  /** A clean, as one of all that is on a timeline beside writes. */
  enum Other {
    LONG_BEFORE("20251231235900000", "20251231235901000", false),
    JUST_BEFORE("20251231235900000", "20251231235955000", true),
    ENDED_SINCE("20251231235900000", "20260101000000003", true),
    OF_A_CLOCK_THAT_IS_SLOW_BY_THEN("20260101000000003", "20251231235901000", true),
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

  /**
   * Writers who pend without a gap: one ends, and by then another has begun. Before the commit,
   * what Hudi checks is waited for while there is time, unless it tells nothing before its end;
   * what nobody checks, to its end, unless Flink's never does; after the commit, nothing.
   */
  @ParameterizedTest
  @CsvSource({
    "optimistic_concurrency_control, true, commit.requested, beats, TIME",
    "optimistic_concurrency_control, true, replacecommit.inflight, beats, TIME",
    "optimistic_concurrency_control, true, inflight, beats, NONE", // a bulk insert
    "optimistic_concurrency_control, true, inflight, '', END", // does not lock, as it has no beat
    "optimistic_concurrency_control, true, restore.requested, beats, END",
    "single_writer, true, replacecommit.requested, beats, END",
    "single_writer, true, inflight, flink, NONE",
    "single_writer, false, replacecommit.requested, beats, NONE",
    "optimistic_concurrency_control, false, commit.requested, beats, NONE"
  })
  void whoBeginsDuringAWaitIsWaitedForAsItIs(
      String mode, boolean before, String state, String sign, String wait, @TempDir Path folder)
      throws Exception {
    HoodieTableMetaClient table = tableOfPlan(folder);
    Path first = pending(folder, WRITE, "replacecommit.requested", "beats");
    ConcurrentWrites others =
        beside(table, PLAN, mode, Duration.ofSeconds(wait.equals("NONE") ? 60 : 2));

    Waiting waiting = new Waiting(others, before, table);
    pending(folder, LATER, state, sign);
    Files.delete(first);
    long since = System.nanoTime();
    Throwable told = waiting.told();

    if (wait.equals("END")) {
      assertThat(told)
          .isInstanceOf(UnendedWriteException.class)
          .hasMessageStartingWith("write %s has not ended within 2 seconds", LATER);
    } else {
      assertThat(told).isNull();
      Duration waited = Duration.ofNanos(System.nanoTime() - since);
      assertThat(waited).isLessThan(Duration.ofSeconds(30));
    }
  }

  @Test
  void whoBeginsDuringAWaitComesFirstOnceItSaysThatItWritesTheSame(@TempDir Path folder)
      throws Exception {
    HoodieTableMetaClient table = tableOfPlan(folder);
    Path first = pending(folder, WRITE, "replacecommit.requested", "beats");
    ConcurrentWrites others =
        beside(table, PLAN, "optimistic_concurrency_control", Duration.ofSeconds(60));

    Waiting waiting = new Waiting(others, true, table);
    pending(folder, LATER, "commit.requested", "beats");
    Files.delete(first);
    HoodieWriteStat written = new HoodieWriteStat();
    written.setPartitionPath("p");
    written.setFileId("f1");
    written.setPrevCommit(PlannedTable.FIRST);
    HoodieCommitMetadata workload = new HoodieCommitMetadata();
    workload.addWriteStat("p", written);
    HoodieTableMetaClient.reload(table)
        .getActiveTimeline()
        .transitionRequestedToInflight(
            table.createNewInstant(State.REQUESTED, HoodieTimeline.COMMIT_ACTION, LATER),
            Option.of(workload));

    assertThat(waiting.told())
        .isInstanceOf(ConcurrentWriteException.class)
        .hasMessage("write %s, which is under way, is changing what it is to replace", LATER);
  }

  private static HoodieTableMetaClient tableOfPlan(Path folder) throws Exception {
    HoodieTableMetaClient table = PlannedTable.ofFile(folder);
    begin(table, PLAN);
    return table;
  }

  /** A thread that waits for writers, and has taken its first look. */
  private static final class Waiting {
    private final AtomicReference<Throwable> told = new AtomicReference<>();
    private final Thread thread;

    Waiting(ConcurrentWrites others, boolean before, HoodieTableMetaClient table)
        throws InterruptedException {
      thread =
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
      thread.start();
      while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
        Thread.sleep(10);
      }
    }

    Throwable told() throws InterruptedException {
      thread.join();
      return told.get();
    }
  }

  /**
   * A write that tells nothing.
   *
   * @param sign that its writer lives: that it beats, or Flink's checkpoint
   */
  private static Path pending(Path folder, String write, String state, String sign)
      throws IOException {
    Path heartbeats = Files.createDirectories(folder.resolve(".hoodie/.heartbeat"));
    Path checkpoints = Files.createDirectories(folder.resolve(".hoodie/.aux/ckp_meta_one"));
    if (sign.equals("beats")) {
      Files.createFile(heartbeats.resolve(write));
    } else if (sign.equals("flink")) {
      Files.createFile(checkpoints.resolve(write + ".INFLIGHT"));
    }
    Path timeline = folder.resolve(".hoodie/timeline");
    if (state.endsWith("inflight")) {
      String action = state.startsWith("replacecommit") ? "replacecommit" : "commit";
      Files.createFile(timeline.resolve(write + "." + action + ".requested"));
    }
    return Files.createFile(timeline.resolve(write + "." + state));
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
