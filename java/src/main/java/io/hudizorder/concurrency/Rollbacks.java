package io.hudizorder.concurrency;

import static io.hudizorder.hudi.Instants.ofActions;
import static io.hudizorder.hudi.Instants.timeOf;
import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.hudi.Instants;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.table.action.rollback.RollbackUtils;

/** The rollbacks of one instant. A rollback's plan never changes: each is read once. */
final class Rollbacks {

  private final String instant;

  /** What each rollback rolls back, by its own time. */
  private final Map<String, String> rolledBack = new HashMap<>();

  Rollbacks(String instant) {
    this.instant = instant;
  }

  /** The times of those that a timeline has, pending or completed. */
  Set<String> seen(HoodieTableMetaClient now) {
    return ofActions(timelineOf(now), HoodieTimeline.ROLLBACK_ACTION).getInstants().stream()
        .filter(rollback -> timeOf(rollback).compareTo(instant) > 0)
        .filter(
            rollback ->
                rolledBack
                    .computeIfAbsent(timeOf(rollback), time -> read(now, rollback))
                    .equals(instant))
        .map(Instants::timeOf)
        .collect(Collectors.toSet());
  }

  private static String read(HoodieTableMetaClient now, HoodieInstant rollback) {
    try {
      return RollbackUtils.getRollbackPlan(now, rollback).getInstantToRollback().getCommitTime();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the rollback '" + rollback + "'", e);
    }
  }
}
