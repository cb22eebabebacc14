package io.hudizorder.concurrency;

import static io.hudizorder.hudi.Instants.commitsOf;
import static io.hudizorder.hudi.Instants.timeOf;
import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.concurrency.WriteInFlight.Wait;
import io.hudizorder.hudi.FileTimes;
import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.plan.PendingPlan;
import io.hudizorder.table.SchemaHistory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.table.view.FileSystemViewManager;
import org.apache.hudi.common.table.view.HoodieTableFileSystemView;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieWriteConfig;

/**
 * What others write to the file groups that a clustering replaces, for the clustering to give way
 * to. Hudi itself looks for it under optimistic concurrency alone, and then only if the writer has
 * a lock as well; a writer that knows nothing of the clustering would lose what it has written.
 *
 * <p>Each look takes one reading of the timeline: what it does not show as completed it shows as
 * pending.
 */
final class ConcurrentWrites {

  /** Later than any write. */
  private static final long NEVER = Long.MAX_VALUE / 2;

  private final HoodieEngineContext engine;
  private final HoodieTableMetaClient table;
  private final HoodieWriteConfig config;
  private final String instant;
  private final FileGroups groups;
  private final long planned;

  private final CommitsSince commits;
  private final Rollbacks rollbacks;
  private final WritesInFlight inFlight;

  /**
   * @param instant of the clustering
   * @param planned when the plan was there to be seen, in milliseconds of the storage's clock
   * @param commits since the plan
   * @param patience how long to wait for writers of which nobody knows what they write
   */
  private ConcurrentWrites(
      HoodieEngineContext engine,
      HoodieTableMetaClient table,
      HoodieWriteConfig config,
      HoodieClusteringPlan plan,
      String instant,
      long planned,
      CommitsSince commits,
      Duration patience) {
    this.engine = engine;
    this.table = table;
    this.config = config;
    this.instant = instant;
    this.groups = FileGroups.replacedBy(plan);
    this.planned = planned;
    this.commits = commits;
    this.rollbacks = new Rollbacks(instant);
    this.inFlight = new WritesInFlight(table, config, instant, rollbacks, patience);
  }

  /** Beside a clustering that is to be executed. */
  static ConcurrentWrites beside(
      HoodieEngineContext engine,
      HoodieTableMetaClient table,
      HoodieWriteConfig config,
      HoodieClusteringPlan plan,
      String instant,
      Duration patience) {
    return new ConcurrentWrites(
        engine,
        table,
        config,
        plan,
        instant,
        plannedAt(table, instant),
        CommitsSince.planOf(instant, table, config),
        patience);
  }

  /** Beside one that is committed, in place of who has. */
  static ConcurrentWrites besideCommitted(
      HoodieEngineContext engine,
      HoodieTableMetaClient table,
      HoodieWriteConfig config,
      HoodieClusteringPlan plan,
      HoodieInstant committed,
      Duration patience) {
    ConcurrentWrites others =
        new ConcurrentWrites(
            engine,
            table,
            config,
            plan,
            timeOf(committed),
            NEVER,
            CommitsSince.planOf(committed, table),
            patience);
    others.rollbacks.passOverOlder(table, FormatCalls.here().completedAt(table, committed));
    return others;
  }

  /**
   * Before the work: looks for what would be in vain, though not at files where the timeline is
   * quiet: that is done before the commit in any case.
   *
   * @throws ConcurrentWriteException when somebody has written, or is writing, to what is planned
   */
  void requireNone() {
    HoodieTableMetaClient now = HoodieTableMetaClient.reload(table);
    rollbacks.passOverEnded(now);
    refuseRivals(now);
    refuseChangeOnRead(now);
    rollbacks.refuseAny(now, groups);
    commits.refuseTouching(now, groups);
    if (!QuietTimeline.since(now, instant)) {
      refuseOtherFiles(now);
    }
    inFlight.refuseCertain(now, groups, planned);
  }

  /**
   * Before the commit: waits for the writers that may not have seen the plan, and looks. Of those
   * that begin meanwhile, Hudi keeps some from what they have not seen, at the price of a write,
   * and the look after the commit finds others.
   *
   * @throws ConcurrentWriteException when somebody has written, or is writing, to what is planned
   */
  void awaitNone() {
    inFlight.await(
        groups,
        planned,
        now -> {
          refuseRivals(now);
          rollbacks.refuseOwn(now);
          rollbacks.refuseAny(now, groups);
          commits.refuseTouching(now, groups);
          refuseOtherFiles(now);
          commits.refuseColumns(now);
        },
        WriteInFlight::waitBesideOthers,
        inFlight.deadline(),
        HoodieTableMetaClient.reload(table));
  }

  /**
   * Under the lock of the commit: looks once more for what Hudi does not, whoever has had the lock
   * meanwhile.
   *
   * @param now as it is under the lock
   * @throws ConcurrentWriteException when the plan, or what was read, was taken back, or is being
   */
  void requireNotTakenBack(HoodieTableMetaClient now) {
    requirePlan(now);
    rollbacks.refuseOwn(now);
    rollbacks.refuseAny(now, groups);
  }

  /**
   * After the commit: looks once more for what no look before it can see without a lock. Whoever
   * begins later than the first reading has seen the commit.
   *
   * @param shown a reading of the timeline that has the commit
   * @throws ConcurrentWriteException when a write is hidden by the clustering, or comes back by it
   * @throws UnendedWriteException when nobody can tell yet
   */
  void requireNoneSince(HoodieTableMetaClient shown) {
    inFlight.await(
        groups,
        planned,
        now -> {
          refuseTwin(now);
          rollbacks.refuseOwn(now);
          rollbacks.refuseAny(now, groups);
          commits.refuseTouching(now, groups);
          commits.refuseColumns(now);
        },
        later -> Wait.NOT,
        inFlight.deadline(),
        shown);
  }

  /** Of two executions of one plan Hudi takes both commits: its rows would be there twice. */
  private void refuseTwin(HoodieTableMetaClient now) {
    if (PendingPlan.commits(now, instant).size() > 1) {
      throw new ConcurrentWriteException("another process has executed and committed it too");
    }
  }

  /**
   * Makes the clustering a pending one again, so that all see what it replaces: once nobody can be
   * writing to what it has written, and under the lock under which that was seen, where there is
   * one.
   *
   * @param hidden why it is taken back
   * @throws HiddenRowsException when somebody has built on it; it stays committed
   * @throws UnendedWriteException when somebody may be about to; it stays committed for now
   */
  void takeBack(HoodieInstant committed, ConcurrentWriteException hidden) {
    HoodieTableMetaClient then = HoodieTableMetaClient.reload(table);
    FileGroups written =
        FileGroups.writtenBy(
            PendingPlan.commits(then, instant).stream()
                .map(commit -> CommitsSince.metadata(then, commit)));
    WritesInFlight.Look built = now -> commits.refuseTouching(now, written);
    long deadline = inFlight.deadline();
    try {
      boolean isTakenBack = false;
      while (!isTakenBack) {
        // Without the lock, which those need who are to end.
        inFlight.await(
            written,
            NEVER,
            built,
            later -> Wait.TO_ITS_END,
            deadline,
            HoodieTableMetaClient.reload(table));
        isTakenBack =
            PendingPlan.takeBack(
                table,
                config,
                instant,
                () -> {
                  HoodieTableMetaClient now = HoodieTableMetaClient.reload(table);
                  built.at(now);
                  // What a rollback has deleted, nobody is to have back.
                  FileGroups replaced = groups.without(rollbacks.deleted(now));
                  new Reversal(engine, config, committed, replaced, written).require(now);
                  return inFlight.unknown(now, written, NEVER).isEmpty();
                });
      }
    } catch (UnendedWriteException unknown) {
      throw unknown;
    } catch (ConcurrentWriteException inTheWay) {
      throw new HiddenRowsException(
          String.format(
              "Cannot keep clustering %s, nor roll it back: %s; and since its commit, %s. Restore"
                  + " the table to the instant before it, and write again what was written since",
              instant, hidden.getMessage(), inTheWay.getMessage()));
    }
  }

  /** Another clustering of the same file groups: the one that was planned first goes on. */
  private void refuseRivals(HoodieTableMetaClient now) {
    requirePlan(now);
    // Not by Hudi's own map of file groups, which two plans of the same file group break.
    ClusteringUtils.getAllPendingClusteringPlans(now)
        .filter(plan -> timeOf(plan.getLeft()).compareTo(instant) < 0)
        .forEach(this::refuseRival);
  }

  private void requirePlan(HoodieTableMetaClient now) {
    if (FormatCalls.here().inflightClustering(now, instant).isEmpty()) {
      throw new ConcurrentWriteException("another process has taken it off the timeline");
    }
  }

  private void refuseRival(Pair<HoodieInstant, HoodieClusteringPlan> rival) {
    List<HoodieFileGroupId> taken = groups.takenBy(rival.getRight());
    if (!taken.isEmpty()) {
      throw new ConcurrentWriteException(
          String.format(
              "clustering %s, which was planned before it, takes %s too",
              timeOf(rival.getLeft()), FileGroups.named(taken)));
    }
  }

  /** Files are written by the table's schema as the execution finds it, but named by the plan. */
  private void refuseChangeOnRead(HoodieTableMetaClient now) {
    SchemaHistory.of(now, config)
        .changedSince(instant)
        .ifPresent(
            column -> {
              throw new ConcurrentWriteException(
                  "since it was planned, schema on read has changed column '" + column + "'");
            });
  }

  private void refuseOtherFiles(HoodieTableMetaClient now) {
    try (HoodieTableFileSystemView view =
        FileSystemViewManager.createInMemoryFileSystemView(
            engine, now, config.getMetadataConfig())) {
      List<HoodieFileGroupId> changed = groups.changed(view);
      if (!changed.isEmpty()) {
        throw new ConcurrentWriteException(
            "since it was planned, somebody has written to " + FileGroups.named(changed));
      }
      refuseOverlooked(now, view);
    }
  }

  /** Of what Hudi overlooks no listing tells, and no commit since the plan. */
  private void refuseOverlooked(HoodieTableMetaClient now, HoodieTableFileSystemView view) {
    FormatCalls format = FormatCalls.here();
    if (format.completesByFileTimes(now)) {
      return; // a log names its slice
    }
    HoodieTimeline committed = commitsOf(timelineOf(now)).filterCompletedInstants();
    List<HoodieFileGroupId> overlooked =
        groups.overlooked(view, log -> committed.containsInstant(format.time(log)));
    if (!overlooked.isEmpty()) {
      throw new ConcurrentWriteException(
          String.format(
              "Hudi overlooks what a committed write has logged to %s, beside a base file of a"
                  + " write that has failed or goes on, and its rows would be lost; have that one"
                  + " end, or roll it back",
              FileGroups.named(overlooked)));
    }
  }

  private static long plannedAt(HoodieTableMetaClient table, String instant) {
    HoodieInstant requested =
        PendingPlan.requested(table, instant)
            .orElseThrow(
                () ->
                    new ConcurrentWriteException(
                        String.format(
                            "Cannot execute clustering %s: its plan is gone, for another process has"
                                + " cancelled it or rolled it back; nothing was written",
                            instant)));
    try {
      return FileTimes.requestedAt(table, requested);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the clustering plan '" + instant + "'", e);
    }
  }
}
