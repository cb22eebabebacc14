package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.junit.jupiter.api.Test;

class PlanLimitTest {

  private static HoodieClusteringGroup group(
      String partition, double bytes, double gain, double touched) {
    HoodieSliceInfo slice = new HoodieSliceInfo();
    slice.setPartitionPath(partition);
    return HoodieClusteringGroup.newBuilder()
        .setSlices(List.of(slice))
        .setMetrics(
            Map.of(
                UpkeepStep.BYTES, bytes,
                UpkeepStep.GAIN, gain,
                UpkeepStep.TOUCHED_IN_ALL, touched,
                UpkeepStep.TOUCHED_AS_ONE, 1.0))
        .build();
  }

  private static List<String> kept(PlanLimit limit, HoodieClusteringGroup... groups) {
    HoodieClusteringPlan plan = new HoodieClusteringPlan();
    plan.setInputGroups(new ArrayList<>(List.of(groups)));
    plan.setMissingSchedulePartitions(List.of());
    limit.apply(plan);
    List<String> kept =
        plan.getInputGroups().stream().map(LeftAlone::partition).collect(Collectors.toList());
    assertThat(plan.getMissingSchedulePartitions()).hasSize(groups.length - kept.size());
    return kept;
  }

  @Test
  void whatGainsMostForItsBytesIsKept() {
    assertThat(
            kept(
                new PlanLimit(2, 100),
                group("a", 40, 1, 2),
                group("b", 40, 3, 2),
                group("c", 40, 2, 2)))
        .containsExactly("b", "c");
  }

  @Test
  void thePartitionThatIsReadWorstDoesNotWaitForLesserOnes() {
    assertThat(
            kept(
                new PlanLimit(9, 100),
                group("small", 10, 5, 2),
                group("hot", 90, 1, 8),
                group("other", 20, 4, 3)))
        .containsExactly("small", "hot");
  }

  @Test
  void whatIsTooLargeForAnyPlanIsLeft() {
    assertThat(kept(new PlanLimit(9, 100), group("a", 10, 1, 2), group("b", 101, 9, 9)))
        .containsExactly("a");
  }

  /** As in the mode that lays out all files, night by night. */
  @Test
  void ofGroupsThatTellNoGainThoseWithTheOldestFilesAreKept() {
    Map<String, String> commits = new TreeMap<>(Map.of("a", "3", "b", "1", "c", "2", "d", "0"));
    List<String> nights = new ArrayList<>();
    for (int night = 4; night < 8; night++) {
      List<HoodieClusteringGroup> groups = new ArrayList<>();
      commits.forEach(
          (partition, commit) -> {
            HoodieClusteringGroup group = group(partition, 1, 0, 1);
            group
                .getSlices()
                .get(0)
                .setDataFilePath("/t/" + partition + "/f_0_" + commit + ".parquet");
            groups.add(group);
          });
      List<String> kept = kept(new PlanLimit(1, 100), groups.toArray(HoodieClusteringGroup[]::new));
      nights.addAll(kept);
      commits.put(kept.get(0), Integer.toString(night));
    }

    assertThat(nights).containsExactly("d", "b", "c", "a");
  }

  @Test
  void manyGroupsTakeNoTime() {
    List<HoodieClusteringGroup> groups = new ArrayList<>();
    for (int g = 0; g < 20_000; g++) {
      groups.add(group(String.format("p%05d", g), 1, g * 7919 % 20_000, 2));
    }

    List<String> kept =
        kept(new PlanLimit(10_000, Long.MAX_VALUE), groups.toArray(HoodieClusteringGroup[]::new));

    assertThat(kept).hasSize(10_000).isSorted();
  }
}
