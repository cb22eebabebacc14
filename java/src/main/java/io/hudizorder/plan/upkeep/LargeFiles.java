package io.hudizorder.plan.upkeep;

import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.hudi.Instants;
import java.io.Serializable;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.Option;

/**
 * Files that are larger than a plan may be, and go alone. They take turns with all others, plan by
 * plan: they would wait for ever where something is written before each, and all else would wait
 * for them if they came first.
 */
public final class LargeFiles implements Serializable {

  private static final long serialVersionUID = 1L;

  /** It is nobody's turn: they go where nothing else does. */
  static final LargeFiles LAST = new LargeFiles(Long.MAX_VALUE, null);

  private final long maxBytes;

  /** When others went that were no larger; null where it is the turn of others. */
  private final String others;

  LargeFiles(long maxBytes, String others) {
    this.maxBytes = maxBytes;
    this.others = others;
  }

  /**
   * By the last clustering on the timeline.
   *
   * @param maxBytes that a plan may rewrite
   */
  public static LargeFiles of(HoodieTableMetaClient table, long maxBytes) {
    if (maxBytes == Long.MAX_VALUE) {
      return LAST;
    }
    return timelineOf(table)
        .getCompletedReplaceTimeline()
        .getReverseOrderedInstants()
        .map(instant -> ClusteringUtils.getClusteringPlan(table, instant))
        .filter(Option::isPresent)
        .map(Option::get)
        .findFirst()
        .filter(last -> bytes(last.getRight()) <= maxBytes)
        .map(last -> new LargeFiles(maxBytes, Instants.timeOf(last.getLeft())))
        .orElse(LAST);
  }

  private static double bytes(HoodieClusteringPlan plan) {
    return plan.getInputGroups().stream().mapToDouble(PlanLimit::bytes).sum();
  }

  /**
   * Whether it is the turn of a file: it is one of them, and others have gone since it was there.
   *
   * @param commit that wrote its base file; "" where it has none
   */
  boolean isTurnOf(double bytes, String commit) {
    return others != null && bytes > maxBytes && commit.compareTo(others) < 0;
  }
}
