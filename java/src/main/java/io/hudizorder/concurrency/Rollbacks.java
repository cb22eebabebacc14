package io.hudizorder.concurrency;

import static io.hudizorder.hudi.Instants.ofActions;
import static io.hudizorder.hudi.Instants.timeOf;
import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.plan.RollbackPlans;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieRollbackPlan;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.storage.StoragePath;

/**
 * The rollbacks beside a clustering: of its own instant, or of writes that it has read, whose rows
 * it would bring back. A rollback's plan never changes: each is read once. One that was not written
 * whole takes nothing back.
 */
final class Rollbacks {

  private final String instant;

  /** By a rollback's own time. */
  private final Map<String, HoodieRollbackPlan> plans = new HashMap<>();

  /** The times of those that are over. */
  private Set<String> past = Set.of();

  /**
   * @param instant of the clustering
   */
  Rollbacks(String instant) {
    this.instant = instant;
  }

  /** Passes over those that have ended, whose effect shows in the files; and of its own instant. */
  void passOverEnded(HoodieTableMetaClient now) {
    passOver(now, rollback -> rollback.isCompleted() || isOwn(now, rollback));
  }

  /**
   * The same where nobody knows when the clustering began: one that has ended and is younger may be
   * of a write that it has read. Of its own instant, those alone are over that ended before its
   * commit: whoever executes a plan may have waited for the lock under which it was committed.
   *
   * @param committed when it was, in milliseconds
   */
  void passOverOlder(HoodieTableMetaClient now, long committed) {
    passOver(
        now,
        rollback ->
            rollback.isCompleted()
                && (timeOf(rollback).compareTo(instant) < 0
                    || isOwn(now, rollback)
                        && FormatCalls.here().completedAt(now, rollback) < committed));
  }

  private void passOver(HoodieTableMetaClient now, Predicate<HoodieInstant> over) {
    past = all(now).filter(over).map(rollback -> timeOf(rollback)).collect(Collectors.toSet());
  }

  /**
   * Whoever executes a plan that is inflight has Hudi delete what its execution has written so far,
   * before anything of ours can keep it from doing so.
   *
   * @throws ConcurrentWriteException when that has begun
   */
  void refuseOwn(HoodieTableMetaClient now) {
    if (present(now).anyMatch(rollback -> isOwn(now, rollback))) {
      throw new ConcurrentWriteException(
          "another process has begun to execute it too, and Hudi has deleted what was written");
    }
  }

  /**
   * @param groups with the files that the clustering has read
   * @throws ConcurrentWriteException when one of them is being rolled back, or was
   */
  void refuseAny(HoodieTableMetaClient now, FileGroups groups) {
    for (HoodieInstant rollback : present(now).collect(Collectors.toList())) {
      List<HoodieFileGroupId> touched =
          groups.holding(files(now, rollback).collect(Collectors.toSet()));
      if (!touched.isEmpty()) {
        throw new ConcurrentWriteException(
            String.format(
                "rollback %s takes back write %s, which wrote to %s",
                timeOf(rollback), undone(now, rollback).get(), FileGroups.named(touched)));
      }
    }
  }

  /** The times of the writes that they take back: nobody is writing those any more. */
  Set<String> undone(HoodieTableMetaClient now) {
    return present(now)
        .flatMap(rollback -> undone(now, rollback).stream())
        .collect(Collectors.toSet());
  }

  /** The names of the files that they delete. */
  Set<String> deleted(HoodieTableMetaClient now) {
    return present(now).flatMap(rollback -> files(now, rollback)).collect(Collectors.toSet());
  }

  private Stream<HoodieInstant> present(HoodieTableMetaClient now) {
    return all(now).filter(rollback -> !past.contains(timeOf(rollback)));
  }

  private static Stream<HoodieInstant> all(HoodieTableMetaClient now) {
    return ofActions(timelineOf(now), HoodieTimeline.ROLLBACK_ACTION).getInstants().stream();
  }

  private boolean isOwn(HoodieTableMetaClient now, HoodieInstant rollback) {
    return undone(now, rollback).filter(instant::equals).isPresent();
  }

  private Optional<String> undone(HoodieTableMetaClient now, HoodieInstant rollback) {
    return plan(now, rollback).map(plan -> plan.getInstantToRollback().getCommitTime());
  }

  /** Those that it deletes, and the logs of older tables in which it crosses out. */
  private Stream<String> files(HoodieTableMetaClient now, HoodieInstant rollback) {
    return plan(now, rollback).map(HoodieRollbackPlan::getRollbackRequests).stream()
        .flatMap(List::stream)
        .flatMap(
            request ->
                Stream.concat(
                    request.getFilesToBeDeleted().stream(),
                    request.getLogBlocksToBeDeleted().keySet().stream()))
        .map(path -> new StoragePath(path).getName());
  }

  private Optional<HoodieRollbackPlan> plan(HoodieTableMetaClient now, HoodieInstant rollback) {
    HoodieRollbackPlan known = plans.get(timeOf(rollback));
    if (known != null) {
      return Optional.of(known);
    }
    Optional<HoodieRollbackPlan> found = RollbackPlans.read(now, rollback);
    found.ifPresent(plan -> plans.put(timeOf(rollback), plan));
    return found;
  }
}
