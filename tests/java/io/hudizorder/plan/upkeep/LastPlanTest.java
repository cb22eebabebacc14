package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.WrittenTimeline;
import io.hudizorder.option.GroupKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieClusteringStrategy;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LastPlanTest {

  private static final String PLANNED = "20260101000000005";

  @TempDir Path folder;

  private static HoodieClusteringPlan.Builder plan(double bytes) {
    HoodieClusteringGroup group =
        HoodieClusteringGroup.newBuilder()
            .setSlices(List.of())
            .setMetrics(Map.of(GroupKeys.BYTES, bytes))
            .build();
    return HoodieClusteringPlan.newBuilder()
        .setInputGroups(List.of(group))
        .setStrategy(HoodieClusteringStrategy.newBuilder().build())
        .setMissingSchedulePartitions(List.of("p"));
  }

  private LastPlan after(HoodieClusteringPlan plan) throws IOException {
    WrittenTimeline timeline = new WrittenTimeline(folder);
    timeline.write("20260101000000001", "20260101000000002");
    timeline.write("20260101000000003", "20260101000000006");
    timeline.plan(PLANNED, plan);
    timeline.commit(PLANNED);
    timeline.write("20260101000000007", "20260101000000008");
    return LastPlan.of(timeline.now());
  }

  @Test
  void noClusteringHasSeenNothingAndLeftNothing() throws IOException {
    LastPlan none = LastPlan.of(new WrittenTimeline(folder).now());

    assertThat(none.isWithin(5)).isFalse();
    assertThat(none.hasLeftStepsIn("p")).isFalse();
    assertThat(none.seenAs("20260101000000001")).isEqualTo("20260101000000001");
  }

  /** It was requested before, but was not there to be seen. */
  @Test
  void aWriteThatEndedAfterAPlanIsTakenForALaterOne() throws IOException {
    LastPlan last = after(plan(5).build());

    assertThat(last.seenAs("20260101000000001")).isLessThan(PLANNED);
    assertThat(last.seenAs("20260101000000003"))
        .isGreaterThan(PLANNED)
        .isLessThan("20260101000000006");
    assertThat(last.seenAs("20260101000000007")).isEqualTo("20260101000000007");
    assertThat(last.isWithin(5)).isTrue();
    assertThat(last.isWithin(4)).isFalse();
  }

  @Test
  void whatLimitsHaveLeftOutIsKnownWhenTheClusteringIsArchived() throws IOException {
    WrittenTimeline timeline = new WrittenTimeline(folder);
    timeline.plan(PLANNED, plan(5).setExtraMetadata(LastPlan.leftIn(Stream.of("p"))).build());
    timeline.commit(PLANNED);
    timeline.archive();
    LastPlan last = LastPlan.of(timeline.now());

    assertThat(List.of("p", "q")).filteredOn(last::hasLeftStepsIn).containsExactly("p");
    assertThat(last.seenAs("20260101000000003")).isEqualTo("20260101000000003");
  }

  /** A plan leaves partitions for other reasons, too, such as a write that is under way there. */
  @ParameterizedTest
  @EnumSource(FileReason.class)
  void stepsAreLeftOutWhereAPlanHasComeToALimit(FileReason reason) throws IOException {
    LastPlan last = after(plan(5).setExtraMetadata(Map.of(reason.files(), "3")).build());
    boolean limited = reason == FileReason.MAX_GROUPS || reason == FileReason.MAX_BYTES_PER_PLAN;

    assertThat(last.hasLeftStepsIn("p")).isEqualTo(limited);
    assertThat(last.hasLeftStepsIn("q")).isFalse();
  }

  /** Of all partitions where there is something left to look at, for whatever reason. */
  @Test
  void aPlanTellsWhereItsLimitsHaveLeftStepsOut() throws IOException {
    HoodieClusteringPlan plan = plan(5).build();
    plan.setMissingSchedulePartitions(List.of("p", "q", "r"));
    LeftAlone.tell(plan, List.of(left("q", FileReason.MAX_GROUPS), left("r", FileReason.LAID_OUT)));
    LastPlan last = after(plan);

    assertThat(List.of("p", "q", "r")).filteredOn(last::hasLeftStepsIn).containsExactly("q");
  }

  private static HoodieClusteringGroup left(String partition, FileReason reason) {
    HoodieSliceInfo slice =
        HoodieSliceInfo.newBuilder().setPartitionPath(partition).setFileId("f").build();
    return LeftAlone.dropped(
        HoodieClusteringGroup.newBuilder()
            .setSlices(List.of(slice))
            .setMetrics(Map.of(GroupKeys.BYTES, 5.0))
            .build(),
        reason);
  }

  /** For its filter, say; a table may have one partition without a name. */
  @ParameterizedTest
  @ValueSource(strings = {"", "p", "q"})
  void whatLimitsHaveLeftOutIsKnownAfterAPlanThatDoesNotLookThere(String looksAt)
      throws IOException {
    HoodieClusteringPlan next = plan(5).build();
    Set<String> left = new HashSet<>(Set.of("", "p"));
    Set<String> others = new HashSet<>(Set.of("", "p", "q"));
    others.remove(looksAt);
    new LastPlan("1", 0, left, Set.of()).passOn(next, others);
    LastPlan last = after(next);

    left.remove(looksAt);
    assertThat(Set.of("", "p", "q"))
        .filteredOn(last::hasLeftStepsIn)
        .containsExactlyInAnyOrderElementsOf(left);
  }

  /**
   * By a lower threshold, say: what it looks at is weighed by that, and all else is still to be.
   */
  @Test
  void whatAPlanThatWantsMoreDoesNotLookAtIsLeftToTheNext() throws IOException {
    HoodieClusteringPlan next = plan(5).build();
    new LastPlan("1", 0, Set.of(), Set.of()).before(true).passOn(next, List.of("q"));
    LastPlan last = after(next);

    assertThat(last.hasLeftStepsIn("q")).isTrue();
    assertThat(last.hasLeftStepsIn("p")).isFalse();
    assertThat(last.before(true).hasLeftStepsIn("p")).isTrue();
  }
}
