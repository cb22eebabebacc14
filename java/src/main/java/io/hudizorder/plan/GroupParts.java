package io.hudizorder.plan;

import io.hudizorder.option.GroupKeys;
import io.hudizorder.option.PlanVersion;
import io.hudizorder.plan.slice.SliceSizes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.model.FileSlice;

/**
 * Groups of a plan whose rows are laid out as one. A plan bounds the bytes of a group, and Hudi's
 * own strategy sorts each group by itself: of one partition, eight of them lie over one another,
 * and an equality reads of all. One commit takes them all in the end, so that nothing is lost by
 * one layout for the rows of all.
 */
public final class GroupParts {

  private GroupParts() {}

  /**
   * Divides what is to be laid out as one.
   *
   * @param slices in the order of the parts
   * @param sizes tells their bytes
   * @param most bytes of a part, unless one slice has more
   */
  public static List<List<FileSlice>> divide(List<FileSlice> slices, SliceSizes sizes, long most) {
    List<List<FileSlice>> parts = new ArrayList<>();
    long bytes = 0;
    for (FileSlice slice : slices) {
      long size = sizes.of(slice);
      if (parts.isEmpty() || bytes + size > most) {
        parts.add(new ArrayList<>());
        bytes = 0;
      }
      parts.get(parts.size() - 1).add(slice);
      bytes += size;
    }
    return parts;
  }

  /** What a plan keeps with each part: what they are parts of, where there are several. */
  public static Map<String, String> toMetadata(List<List<FileSlice>> parts) {
    return parts.size() > 1 ? Map.of(GroupKeys.WHOLE, parts.get(0).get(0).getFileId()) : Map.of();
  }

  /** The groups of a plan, the parts of a whole as one in the place of the first. */
  public static List<HoodieClusteringGroup> joined(HoodieClusteringPlan plan) {
    Map<String, String> parameters = plan.getStrategy().getStrategyParams();
    boolean ours = parameters != null && parameters.containsKey(PlanVersion.KEY);
    return joined(plan.getInputGroups(), ours);
  }

  /**
   * The same of groups that are in no plan yet.
   *
   * @param ours whether they tell of which whole they are parts; those of other strategies divide
   *     partitions
   */
  public static List<HoodieClusteringGroup> joined(
      List<HoodieClusteringGroup> groups, boolean ours) {
    Map<String, List<HoodieClusteringGroup>> wholes = new LinkedHashMap<>();
    for (int g = 0; g < groups.size(); g++) {
      HoodieClusteringGroup group = groups.get(g);
      String whole = ours ? said(group) : isFileByItself(group) ? null : "";
      // As no partition is called, so that a group by itself is like no other.
      String name = whole == null ? "/" + g : partition(group) + "//" + whole;
      wholes.computeIfAbsent(name, first -> new ArrayList<>()).add(group);
    }
    return wholes.values().stream().map(GroupParts::join).collect(Collectors.toList());
  }

  private static String said(HoodieClusteringGroup group) {
    Map<String, String> metadata = group.getExtraMetadata();
    return metadata == null ? null : metadata.get(GroupKeys.WHOLE);
  }

  /** As Hudi's {@code SparkSingleFileSortPlanStrategy} has it: a file, sorted and left in place. */
  private static boolean isFileByItself(HoodieClusteringGroup group) {
    return group.getSlices().size() == 1 && group.getNumOutputFileGroups() == 1;
  }

  /** The partition that a group is of. */
  public static String partition(HoodieClusteringGroup group) {
    return group.getSlices().get(0).getPartitionPath();
  }

  /** How many files a group becomes, or adds to those of the other parts of a whole. */
  public static int files(HoodieClusteringGroup group) {
    Map<String, Double> told = Objects.requireNonNullElse(group.getMetrics(), Map.of());
    return told.getOrDefault(GroupKeys.FILES, (double) group.getNumOutputFileGroups()).intValue();
  }

  private static HoodieClusteringGroup join(List<HoodieClusteringGroup> parts) {
    HoodieClusteringGroup first = parts.get(0);
    if (parts.size() == 1) {
      return first;
    }
    return HoodieClusteringGroup.newBuilder()
        .setSlices(
            parts.stream().flatMap(part -> part.getSlices().stream()).collect(Collectors.toList()))
        .setNumOutputFileGroups(Math.max(1, parts.stream().mapToInt(GroupParts::files).sum()))
        .setMetrics(Collections.emptyMap())
        .setExtraMetadata(first.getExtraMetadata())
        .build();
  }
}
