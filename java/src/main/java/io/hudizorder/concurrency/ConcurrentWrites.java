package io.hudizorder.concurrency;

import io.hudizorder.concurrency.WriteInFlight.Effect;
import io.hudizorder.option.OwnOptions;
import io.hudizorder.plan.PendingPlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieActiveTimeline;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.table.view.FileSystemViewManager;
import org.apache.hudi.common.table.view.HoodieTableFileSystemView;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.table.action.rollback.RollbackUtils;

/**
 * What others write to the file groups that a clustering replaces, for the clustering to give way
 * to. Hudi itself looks for it under optimistic concurrency alone, and then only if the writer has
 * a lock as well; a writer that knows nothing of the clustering would lose what it has written.
 *
 * <p>Each look takes one reading of the timeline: what it does not show as completed it shows as
 * pending.
 */
final class ConcurrentWrites {

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

  /** Later than any write. */
  private static final long NEVER = Long.MAX_VALUE / 2;

  private final HoodieEngineContext engine;
  private final HoodieTableMetaClient table;
  private final HoodieWriteConfig config;
  private final String instant;
  private final FileGroups groups;
  private final Duration patience;
  private final long planned;

  /** Of what earlier executions of the plan had written, as found before the work. */
  private Set<String> earlierRollbacks = Set.of();

  /**
   * @param instant of the clustering
   * @param patience how long to wait for writers of which nobody knows what they write
   */
  ConcurrentWrites(
      HoodieEngineContext engine,
      HoodieTableMetaClient table,
      HoodieWriteConfig config,
      HoodieClusteringPlan plan,
      String instant,
      Duration patience) {
    this.engine = engine;
    this.table = table;
    this.config = config;
    this.instant = instant;
    this.groups = FileGroups.replacedBy(plan);
    this.planned = plannedAt(table, instant);
    this.patience = patience;
  }

  /**
   * Before the work: looks for what would be in vain.
   *
   * @throws ConcurrentWriteException when somebody has written, or is writing, to what is planned
   */
  void requireNone() {
    HoodieTableMetaClient now = HoodieTableMetaClient.reload(table);
    earlierRollbacks = rollbacks(now);
    refuseRivals(now);
    refuseChanges(now);
    inFlight(now, groups, planned);
  }

  /**
   * Before the commit: waits for the writers that may not have seen the plan, and looks.
   *
   * @throws ConcurrentWriteException when somebody has written, or is writing, to what is planned
   */
  void awaitNone() {
    await(
        groups,
        planned,
        now -> {
          refuseRivals(now);
          refuseRollbacks(now);
          refuseChanges(now);
        });
  }

  /**
   * After the commit: looks once more for what no look before it can see without a lock.
   *
   * @throws ConcurrentWriteException when a write is hidden by the clustering, or comes back by it
   */
  void requireNoneSince() {
    await(
        groups,
        planned,
        now -> {
          refuseRollbacks(now);
          refuseCommits(now, groups);
        });
  }

  /**
   * Waits until nobody can be writing to what the clustering has written, so that it can be rolled
   * back.
   *
   * @param hidden why it is to be rolled back
   * @throws HiddenRowsException when somebody has built on it
   */
  void awaitNoneOn(HoodieInstant committed, ConcurrentWriteException hidden) {
    HoodieTableMetaClient then = HoodieTableMetaClient.reload(table);
    FileGroups written = FileGroups.writtenBy(metadata(then, committed));
    try {
      await(written, NEVER, now -> refuseCommits(now, written));
    } catch (ConcurrentWriteException built) {
      throw new HiddenRowsException(
          String.format(
              "Cannot keep clustering %s, nor roll it back: %s; and since its commit, %s. Restore"
                  + " the table to the instant before it, and write again what was written since",
              instant, hidden.getMessage(), built.getMessage()));
    }
  }

  /** What one reading of the timeline must not show. */
  private interface Look {
    void at(HoodieTableMetaClient now);
  }

  private void await(FileGroups groups, long planned, Look look) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (true) {
      HoodieTableMetaClient now = HoodieTableMetaClient.reload(table);
      look.at(now);
      List<HoodieInstant> unknown = inFlight(now, groups, planned);
      if (unknown.isEmpty()) {
        return;
      }
      if (System.nanoTime() > deadline) {
        throw new ConcurrentWriteException(
            String.format(
                "write %s has not ended within %d seconds, and may be changing what is to be"
                    + " replaced; if its writer is dead, let the next write roll it back, or raise"
                    + " '%s'",
                unknown.get(0).requestedTime(),
                patience.toSeconds(),
                OwnOptions.WAIT_FOR_WRITERS.key()));
      }
      sleep();
    }
  }

  /** Another clustering of the same file groups: the one that was planned first goes on. */
  private void refuseRivals(HoodieTableMetaClient now) {
    HoodieActiveTimeline timeline = now.getActiveTimeline();
    if (ClusteringUtils.getInflightClusteringInstant(instant, timeline, now.getInstantGenerator())
        .isEmpty()) {
      throw new ConcurrentWriteException("another process has taken it off the timeline");
    }
    // Not by Hudi's own map of file groups, which two plans of the same file group break.
    ClusteringUtils.getAllPendingClusteringPlans(now)
        .filter(plan -> plan.getLeft().requestedTime().compareTo(instant) < 0)
        .forEach(this::refuseRival);
  }

  /**
   * Whoever executes a plan that is inflight has Hudi delete what its execution has written so far,
   * before anything of ours can keep it from doing so.
   */
  private void refuseRollbacks(HoodieTableMetaClient now) {
    if (!earlierRollbacks.containsAll(rollbacks(now))) {
      throw new ConcurrentWriteException(
          "another process has begun to execute it too, and Hudi has deleted what was written");
    }
  }

  /** The rollbacks of what was written for the clustering. */
  private Set<String> rollbacks(HoodieTableMetaClient now) {
    return now.getActiveTimeline().getRollbackTimeline().getInstants().stream()
        .filter(rollback -> rollback.requestedTime().compareTo(instant) > 0)
        .filter(rollback -> rolledBack(now, rollback).equals(instant))
        .map(HoodieInstant::requestedTime)
        .collect(Collectors.toSet());
  }

  private static String rolledBack(HoodieTableMetaClient now, HoodieInstant rollback) {
    try {
      return RollbackUtils.getRollbackPlan(now, rollback).getInstantToRollback().getCommitTime();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the rollback '" + rollback + "'", e);
    }
  }

  private void refuseRival(Pair<HoodieInstant, HoodieClusteringPlan> rival) {
    ClusteringUtils.getFileGroupsFromClusteringPlan(rival.getRight())
        .filter(groups::contains)
        .findFirst()
        .ifPresent(
            group -> {
              throw new ConcurrentWriteException(
                  String.format(
                      "clustering %s, which was planned before it, takes %s too",
                      rival.getLeft().requestedTime(), named(List.of(group))));
            });
  }

  private void refuseChanges(HoodieTableMetaClient now) {
    refuseCommits(now, groups);
    try (HoodieTableFileSystemView view =
        FileSystemViewManager.createInMemoryFileSystemView(
            engine, now, config.getMetadataConfig())) {
      List<HoodieFileGroupId> changed = groups.changed(view);
      if (!changed.isEmpty()) {
        throw new ConcurrentWriteException(
            "since it was planned, somebody has written to " + named(changed));
      }
    }
  }

  private void refuseCommits(HoodieTableMetaClient now, FileGroups groups) {
    HoodieTimeline since =
        now.getActiveTimeline()
            .getCommitsTimeline()
            .filterCompletedInstants()
            .findInstantsModifiedAfterByCompletionTime(instant);
    for (HoodieInstant commit : since.getInstants()) {
      if (commit.requestedTime().equals(instant)) {
        continue;
      }
      List<HoodieFileGroupId> touched = groups.touched(metadata(now, commit));
      if (!touched.isEmpty()) {
        throw new ConcurrentWriteException(
            String.format(
                "write %s, which was committed since it was planned, wrote to %s",
                commit.requestedTime(), named(touched)));
      }
    }
  }

  private static HoodieCommitMetadata metadata(HoodieTableMetaClient now, HoodieInstant commit) {
    try {
      return commit.getAction().equals(HoodieTimeline.REPLACE_COMMIT_ACTION)
          ? now.getActiveTimeline().readReplaceCommitMetadata(commit)
          : now.getActiveTimeline().readCommitMetadata(commit);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the commit '" + commit + "'", e);
    }
  }

  /** Returns the writes that may touch file groups, for whose end one has to wait. */
  private List<HoodieInstant> inFlight(HoodieTableMetaClient now, FileGroups groups, long planned) {
    List<HoodieInstant> unknown = new ArrayList<>();
    for (HoodieInstant pending :
        now.getActiveTimeline().filterInflightsAndRequested().getInstants()) {
      if (pending.requestedTime().equals(instant)) {
        continue;
      }
      Effect effect = new WriteInFlight(now, config, pending).effect(groups, planned);
      if (effect == Effect.CERTAIN) {
        throw new ConcurrentWriteException(
            String.format(
                "write %s, which is under way, is changing what it is to replace",
                pending.requestedTime()));
      }
      if (effect == Effect.UNKNOWN) {
        unknown.add(pending);
      }
    }
    return unknown;
  }

  private static long plannedAt(HoodieTableMetaClient table, String instant) {
    HoodieInstant requested =
        PendingPlan.requested(table, table.getActiveTimeline(), instant).get();
    try {
      return WriteInFlight.createdAt(table, requested);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the clustering plan '" + instant + "'", e);
    }
  }

  private static String named(List<HoodieFileGroupId> groups) {
    String first =
        groups.stream()
            .limit(1)
            .map(group -> group.getPartitionPath() + "/" + group.getFileId())
            .collect(Collectors.joining());
    return groups.size() == 1
        ? "file group " + first
        : String.format("%,d of its file groups, such as %s", groups.size(), first);
  }

  private static void sleep() {
    try {
      Thread.sleep(BETWEEN_LOOKS.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ConcurrentWriteException("the wait for another writer was interrupted");
    }
  }
}
