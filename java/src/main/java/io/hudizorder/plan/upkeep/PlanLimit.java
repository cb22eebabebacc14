package io.hudizorder.plan.upkeep;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.option.GroupKeys;
import io.hudizorder.plan.slice.RunId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.apache.hudi.common.fs.FSUtils;
import org.apache.hudi.storage.StoragePath;

/** How much a plan may hold of all that is worth doing. */
public final class PlanLimit {

  private static final int NOBODY = -1;

  private final int maxGroups;
  private final long maxBytes;
  private final LargeFiles large;

  /**
   * @param last plan of the table
   */
  public PlanLimit(int maxGroups, long maxBytes, LastPlan last) {
    this(maxGroups, maxBytes, LargeFiles.after(last, maxBytes));
  }

  /**
   * @param large whose turn it may be
   */
  PlanLimit(int maxGroups, long maxBytes, LargeFiles large) {
    this.maxGroups = maxGroups;
    this.maxBytes = maxBytes;
    this.large = large;
  }

  /**
   * Keeps the groups that gain most for their bytes; but first one of the partition that is read
   * worst, whose group may fill the plan alone, and would always have to wait for lesser ones. Of
   * equal gain, as groups have that tell none, those come first that were never laid out, in the
   * plan's order, and then those that were longest ago: so do plans that each lay out a part of all
   * files come to the end of it. Where none is within the limit of bytes, or it is the turn of one
   * that is not, one is kept all the same, and alone: a group that is larger is a file that is. The
   * plan tells where it leaves something out, for the next one may look only there and where
   * something has changed.
   *
   * @return what is left out, as {@link LeftAlone} tells it
   */
  public List<HoodieClusteringGroup> apply(HoodieClusteringPlan plan) {
    List<HoodieClusteringGroup> groups = new ArrayList<>(plan.getInputGroups());
    // By their places: to compare groups is to compare all that their slices say.
    BitSet kept = new BitSet(groups.size());
    List<HoodieClusteringGroup> dropped = new ArrayList<>();
    double bytes = 0;
    List<Integer> best = bestFirst(groups);
    boolean alone = groups.stream().allMatch(group -> bytes(group) > maxBytes);
    int turn =
        best.stream()
            .filter(place -> large.isTurnOf(bytes(groups.get(place))))
            .findFirst()
            .orElse(NOBODY);
    for (int place : best) {
      double more = bytes(groups.get(place));
      boolean fits =
          turn == NOBODY ? bytes + more <= maxBytes || alone && kept.isEmpty() : place == turn;
      if (kept.cardinality() < maxGroups && fits) {
        kept.set(place);
        bytes += more;
      } else {
        boolean full = kept.cardinality() >= maxGroups;
        dropped.add(
            LeftAlone.dropped(
                groups.get(place), full ? FileReason.MAX_GROUPS : FileReason.MAX_BYTES_PER_PLAN));
      }
    }
    plan.setInputGroups(kept.stream().mapToObj(groups::get).collect(Collectors.toList()));
    Set<String> missing = new LinkedHashSet<>(FormatCalls.here().unfinished(plan));
    dropped.forEach(group -> missing.add(LeftAlone.partition(group)));
    FormatCalls.here().setUnfinished(plan, new ArrayList<>(missing));
    return dropped;
  }

  /** The places of groups in their list. */
  private List<Integer> bestFirst(List<HoodieClusteringGroup> groups) {
    String[] laidOut = groups.stream().map(PlanLimit::laidOut).toArray(String[]::new);
    List<Integer> best =
        IntStream.range(0, groups.size()).boxed().collect(Collectors.toCollection(ArrayList::new));
    best.sort(
        Comparator.<Integer>comparingDouble(place -> -gain(groups.get(place)))
            .thenComparing(place -> laidOut[place]));
    best.stream()
        .filter(place -> bytes(groups.get(place)) <= maxBytes)
        .reduce((one, other) -> excess(groups.get(other)) > excess(groups.get(one)) ? other : one)
        .ifPresent(
            worst -> {
              best.remove(worst);
              best.add(0, worst);
            });
    return best;
  }

  /** When the longest ago of its files was laid out; "" where one of them never was. */
  private static String laidOut(HoodieClusteringGroup group) {
    return group.getSlices().stream().map(PlanLimit::laidOut).min(String::compareTo).orElse("");
  }

  private static String laidOut(HoodieSliceInfo slice) {
    return slice.getFileId() != null && RunId.isOfRun(slice.getFileId()) ? commit(slice) : "";
  }

  /** That of its base file; "" where it has none. */
  private static String commit(HoodieSliceInfo slice) {
    String path = slice.getDataFilePath();
    return path != null && !path.isEmpty()
        ? FSUtils.getCommitTime(new StoragePath(path).getName())
        : "";
  }

  static double bytes(HoodieClusteringGroup group) {
    Map<String, Double> metrics = group.getMetrics();
    return metrics == null ? 0 : metrics.getOrDefault(GroupKeys.BYTES, 0.0);
  }

  /** Files that an equality reads in the group's partition, over those that it would at best. */
  private static double excess(HoodieClusteringGroup group) {
    Map<String, Double> metrics = group.getMetrics();
    return metrics.getOrDefault(GroupKeys.TOUCHED_IN_ALL, 0.0)
        - metrics.getOrDefault(GroupKeys.TOUCHED_AS_ONE, 0.0);
  }

  private static double gain(HoodieClusteringGroup group) {
    return group.getMetrics().getOrDefault(GroupKeys.GAIN, 0.0);
  }
}
