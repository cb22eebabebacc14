package io.hudizorder.plan.upkeep;

import io.hudizorder.hudi.FormatCalls;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;

/** How much a plan may hold of all that is worth doing. */
public final class PlanLimit {

  private final int maxGroups;
  private final long maxBytes;

  public PlanLimit(int maxGroups, long maxBytes) {
    this.maxGroups = maxGroups;
    this.maxBytes = maxBytes;
  }

  /**
   * Keeps the groups that gain most for their bytes; but first one of the partition that is read
   * worst, whose group may fill the plan alone, and would always have to wait for lesser ones.
   * Groups that tell no gain keep their order. The plan tells where it leaves something out, for
   * the next one may look only there and where something has changed.
   *
   * @return what is left out, as {@link LeftAlone} tells it
   */
  public List<HoodieClusteringGroup> apply(HoodieClusteringPlan plan) {
    List<HoodieClusteringGroup> best = new ArrayList<>(plan.getInputGroups());
    best.sort(Comparator.comparingDouble(PlanLimit::gain).reversed());
    best.stream()
        .filter(group -> bytes(group) <= maxBytes)
        .reduce((one, other) -> excess(other) > excess(one) ? other : one)
        .ifPresent(
            worst -> {
              best.remove(worst);
              best.add(0, worst);
            });
    List<HoodieClusteringGroup> kept = new ArrayList<>();
    List<HoodieClusteringGroup> dropped = new ArrayList<>();
    double bytes = 0;
    for (HoodieClusteringGroup group : best) {
      double more = bytes(group);
      if (kept.size() < maxGroups && bytes + more <= maxBytes) {
        kept.add(group);
        bytes += more;
      } else {
        dropped.add(
            LeftAlone.dropped(
                group,
                kept.size() < maxGroups ? FileReason.MAX_BYTES_PER_PLAN : FileReason.MAX_GROUPS));
      }
    }
    kept.sort(Comparator.comparingInt(plan.getInputGroups()::indexOf));
    plan.setInputGroups(kept);
    Set<String> missing = new LinkedHashSet<>(FormatCalls.here().unfinished(plan));
    dropped.forEach(group -> missing.add(LeftAlone.partition(group)));
    FormatCalls.here().setUnfinished(plan, new ArrayList<>(missing));
    return dropped;
  }

  private static double bytes(HoodieClusteringGroup group) {
    return group.getMetrics().getOrDefault(UpkeepStep.BYTES, 0.0);
  }

  /** Files that an equality reads in the group's partition, over those that it would at best. */
  private static double excess(HoodieClusteringGroup group) {
    Map<String, Double> metrics = group.getMetrics();
    return metrics.getOrDefault(UpkeepStep.TOUCHED_IN_ALL, 0.0)
        - metrics.getOrDefault(UpkeepStep.TOUCHED_AS_ONE, 0.0);
  }

  private static double gain(HoodieClusteringGroup group) {
    return group.getMetrics().getOrDefault(UpkeepStep.GAIN, 0.0);
  }
}
