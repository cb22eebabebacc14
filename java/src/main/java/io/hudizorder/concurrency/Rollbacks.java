package io.hudizorder.concurrency;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
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
    return now.getActiveTimeline().getRollbackTimeline().getInstants().stream()
        .filter(rollback -> rollback.requestedTime().compareTo(instant) > 0)
        .filter(
            rollback ->
                rolledBack
                    .computeIfAbsent(rollback.requestedTime(), time -> read(now, rollback))
                    .equals(instant))
        .map(HoodieInstant::requestedTime)
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
