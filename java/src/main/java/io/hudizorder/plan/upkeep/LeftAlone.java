package io.hudizorder.plan.upkeep;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.option.GroupKeys;
import io.hudizorder.plan.slice.RowLogs;
import io.hudizorder.plan.slice.SliceSizes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.table.view.TableFileSystemView.SliceView;
import org.apache.hudi.config.HoodieWriteConfig;

/**
 * What a plan leaves alone, and why: told in the form of a group without slices, for groups are all
 * that comes back from the tasks that plan.
 */
public final class LeftAlone {

  private static final String PARTITION = "partition";
  private static final String LATER = "later";

  private LeftAlone() {}

  /** Whether it is one of ours, and none to execute. */
  public static boolean isNote(HoodieClusteringGroup group) {
    return group.getSlices().isEmpty();
  }

  /** Takes the notes off a plan. */
  public static List<HoodieClusteringGroup> takeOff(HoodieClusteringPlan plan) {
    Map<Boolean, List<HoodieClusteringGroup>> all =
        plan.getInputGroups().stream().collect(Collectors.partitioningBy(LeftAlone::isNote));
    plan.setInputGroups(all.get(false));
    return all.get(true);
  }

  /** The partition of a group, with slices or without. */
  public static String partition(HoodieClusteringGroup group) {
    return isNote(group)
        ? group.getExtraMetadata().get(PARTITION)
        : group.getSlices().get(0).getPartitionPath();
  }

  /**
   * The partitions where something is left to the next plan though nothing be written there: what
   * is beyond the limit of bytes, and log files, of which nobody may know what values they hold
   * until a compaction has brought them into base files. Hudi tells of the former too, but not of a
   * table without partitions.
   *
   * @param plan with its notes
   */
  public static Set<String> leftForLater(HoodieClusteringPlan plan) {
    Set<String> partitions = new TreeSet<>(FormatCalls.here().unfinished(plan));
    plan.getInputGroups().stream()
        .filter(group -> isNote(group) && group.getExtraMetadata().containsKey(LATER))
        .map(LeftAlone::partition)
        .forEach(partitions::add);
    return partitions;
  }

  /**
   * What is left alone of a partition once all is done that is planned there.
   *
   * @param view of the table
   * @param others who have file groups of it
   * @param eligible the slices that there was a choice of
   * @param choice of these
   * @param groups what is planned of them
   */
  public static HoodieClusteringGroup of(
      String partition,
      SliceView view,
      TakenGroups others,
      List<FileSlice> eligible,
      PartitionChoice choice,
      List<HoodieClusteringGroup> groups,
      HoodieWriteConfig config) {
    Set<String> taken =
        groups.stream()
            .flatMap(group -> group.getSlices().stream())
            .map(HoodieSliceInfo::getFileId)
            .collect(Collectors.toSet());
    List<FileSlice> left =
        latest(partition, view, others, eligible, config)
            .filter(slice -> !taken.contains(slice.getFileId()))
            .collect(Collectors.toList());
    Map<String, Double> metrics =
        PartitionChoice.counts(
            left,
            slice -> {
              FileReason reason = choice.reason(slice);
              return reason == null ? others.reason(slice) : reason;
            },
            new SliceSizes(config));
    metrics.putAll(choice.metrics());
    HoodieClusteringGroup note = note(partition, metrics);
    if (choice.isPartial()
        || left.stream().anyMatch(slice -> RowLogs.of(slice).findAny().isPresent())) {
      note.getExtraMetadata().put(LATER, "true");
    }
    return note;
  }

  /** All slices of a partition, which is listed once more where some were not eligible. */
  private static Stream<FileSlice> latest(
      String partition,
      SliceView view,
      TakenGroups others,
      List<FileSlice> eligible,
      HoodieWriteConfig config) {
    boolean all =
        config.getClusteringSmallFileLimit() == Long.MAX_VALUE
            && !others.partitions().contains(partition);
    return all ? eligible.stream() : view.getLatestFileSlicesStateless(partition);
  }

  /**
   * Has a plan tell how many slices it leaves alone for each reason, by the name of its metric, and
   * where it does so for a limit.
   */
  public static void tell(HoodieClusteringPlan plan, List<HoodieClusteringGroup> notes) {
    Map<String, String> said =
        LastPlan.leftIn(notes.stream().filter(LeftAlone::isForLimit).map(LeftAlone::partition));
    for (FileReason reason : FileReason.values()) {
      double files =
          notes.stream()
              .mapToDouble(note -> note.getMetrics().getOrDefault(reason.files(), 0.0))
              .sum();
      if (files > 0) {
        said.put(reason.files(), Long.toString(Math.round(files)));
      }
    }
    tell(plan, said);
  }

  /** Has a plan say something beside what it says already. */
  static void tell(HoodieClusteringPlan plan, Map<String, String> more) {
    Map<String, String> said = new HashMap<>(more);
    if (plan.getExtraMetadata() != null) {
      said.putAll(plan.getExtraMetadata());
    }
    plan.setExtraMetadata(said);
  }

  private static boolean isForLimit(HoodieClusteringGroup note) {
    return FileReason.LIMITS.stream()
        .anyMatch(limit -> note.getMetrics().containsKey(limit.files()));
  }

  /** A group that is not done after all. */
  static HoodieClusteringGroup dropped(HoodieClusteringGroup group, FileReason reason) {
    return note(
        partition(group),
        Map.of(
            reason.files(),
            (double) group.getSlices().size(),
            reason.bytes(),
            group.getMetrics().getOrDefault(GroupKeys.BYTES, 0.0)));
  }

  private static HoodieClusteringGroup note(String partition, Map<String, Double> metrics) {
    // Kryo, which brings it back from a task, fills collections that can be changed alone.
    Map<String, String> said = new HashMap<>();
    said.put(PARTITION, partition);
    return HoodieClusteringGroup.newBuilder()
        .setSlices(new ArrayList<>())
        .setMetrics(new HashMap<>(metrics))
        .setExtraMetadata(said)
        .build();
  }
}
