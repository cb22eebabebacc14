package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.option.GroupKeys;
import io.hudizorder.plan.slice.RunId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
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
                GroupKeys.BYTES, bytes,
                GroupKeys.GAIN, gain,
                GroupKeys.TOUCHED_IN_ALL, touched,
                GroupKeys.TOUCHED_AS_ONE, 1.0))
        .build();
  }

  /** Where the turn is that of no large file. */
  private static PlanLimit limit(int maxGroups, long maxBytes) {
    return new PlanLimit(maxGroups, maxBytes, Partition.LARGE_LAST);
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
            kept(limit(2, 100), group("a", 40, 1, 2), group("b", 40, 3, 2), group("c", 40, 2, 2)))
        .containsExactly("b", "c");
  }

  @Test
  void thePartitionThatIsReadWorstDoesNotWaitForLesserOnes() {
    assertThat(
            kept(
                limit(9, 100),
                group("small", 10, 5, 2),
                group("hot", 90, 1, 8),
                group("other", 20, 4, 3)))
        .containsExactly("small", "hot");
  }

  /** It would take the turn of that one, and then be left. */
  @Test
  void ofWhatIsTooLargeForAnyPlanNoneIsThePartitionThatIsReadWorst() {
    assertThat(
            kept(
                limit(9, 100),
                group("large", 120, 1, 20),
                group("small", 10, 5, 2),
                group("hot", 90, 1, 8),
                group("other", 20, 4, 3)))
        .containsExactly("small", "hot");
  }

  @Test
  void whatIsLeftIsToldByTheLimitThatLeavesIt() {
    HoodieClusteringPlan plan = new HoodieClusteringPlan();
    plan.setInputGroups(List.of(group("a", 60, 3, 2), group("b", 60, 2, 2), group("c", 20, 1, 2)));
    plan.setMissingSchedulePartitions(List.of());

    assertThat(limit(2, 100).apply(plan))
        .singleElement()
        .satisfies(
            b -> assertThat(b.getMetrics()).containsOnlyKeys(of(FileReason.MAX_BYTES_PER_PLAN)));
    assertThat(limit(1, 100).apply(plan))
        .singleElement()
        .satisfies(c -> assertThat(c.getMetrics()).containsOnlyKeys(of(FileReason.MAX_GROUPS)));
  }

  private static String[] of(FileReason reason) {
    return new String[] {reason.files(), reason.bytes()};
  }

  @Test
  void whatIsTooLargeForAnyPlanIsLeft() {
    assertThat(kept(limit(9, 100), group("a", 10, 1, 2), group("b", 101, 9, 9)))
        .containsExactly("a");
  }

  /** No plan would ever take it, with the limit that they all have. */
  @Test
  void aFileThatIsTooLargeForAnyPlanIsTakenAlone() {
    assertThat(kept(limit(9, 100), group("a", 120, 1, 2), group("b", 101, 9, 9)))
        .containsExactly("b");
    assertThat(kept(limit(9, 100))).isEmpty();
  }

  /** Though something else is always written before the next plan. */
  @Test
  void aFileThatIsTooLargeForAnyPlanHasItsTurnAfterOthers() {
    HoodieClusteringGroup large = group("large", 120, 1, 2);
    HoodieClusteringGroup small = group("small", 10, 1, 2);

    assertThat(kept(new PlanLimit(9, 100, new LargeFiles(100, true)), small, large))
        .containsExactly("large");
    assertThat(kept(new PlanLimit(9, 100, new LargeFiles(100, false)), small, large))
        .containsExactly("small");
    assertThat(kept(limit(9, 100), small, large)).containsExactly("small");
  }

  /** As in the mode that lays out all files, night by night. */
  @Test
  void ofGroupsThatTellNoGainThoseAreKeptThatWereNeverLaidOutOrLongestAgo() {
    Map<String, String> laidOut = new TreeMap<>(Map.of("a", "", "b", "2", "c", "", "d", "1"));
    List<String> nights = new ArrayList<>();
    for (int night = 3; night < 8; night++) {
      List<HoodieClusteringGroup> groups = new ArrayList<>();
      laidOut.forEach((partition, time) -> groups.add(laidOut(partition, time)));
      List<String> kept = kept(limit(1, 100), groups.toArray(HoodieClusteringGroup[]::new));
      nights.addAll(kept);
      laidOut.put(kept.get(0), Integer.toString(night));
    }

    assertThat(nights).containsExactly("a", "c", "d", "b", "a");
  }

  @Test
  void aGroupWasLaidOutWhenTheLongestAgoOfItsFilesWas() {
    HoodieClusteringGroup both = laidOut("b", "3");
    both.setSlices(List.of(both.getSlices().get(0), laidOut("b", "1").getSlices().get(0)));

    assertThat(kept(limit(1, 100), laidOut("a", "2"), both)).containsExactly("b");
  }

  private static HoodieClusteringGroup laidOut(String partition, String time) {
    HoodieClusteringGroup group = group(partition, 1, 0, 1);
    String id =
        time.isEmpty()
            ? UUID.randomUUID().toString()
            : RunId.of(1, time, partition).fileId(UUID.randomUUID());
    group.getSlices().get(0).setFileId(id + "-0");
    group.getSlices().get(0).setDataFilePath("/t/" + id + "-0_0-0-0_" + time + ".parquet");
    return group;
  }

  @Test
  void manyGroupsTakeNoTime() {
    List<HoodieClusteringGroup> groups = new ArrayList<>();
    for (int g = 0; g < 20_000; g++) {
      groups.add(group(String.format("p%05d", g), 1, g * 7919 % 20_000, 2));
    }

    List<String> kept =
        kept(limit(10_000, Long.MAX_VALUE), groups.toArray(HoodieClusteringGroup[]::new));

    assertThat(kept).hasSize(10_000).isSorted();
  }
}
