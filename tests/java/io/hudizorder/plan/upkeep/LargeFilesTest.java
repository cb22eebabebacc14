package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.WrittenTimeline;
import io.hudizorder.option.GroupKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LargeFilesTest {

  @TempDir Path folder;

  private static HoodieClusteringGroup group(double bytes) {
    return HoodieClusteringGroup.newBuilder()
        .setSlices(List.of())
        .setMetrics(Map.of(GroupKeys.BYTES, bytes))
        .build();
  }

  /** Many writes archive a clustering before the next one. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theyGoAfterAPlanOfOthersAndOthersAfterThem(boolean archived) throws IOException {
    WrittenTimeline timeline = new WrittenTimeline(folder);
    assertThat(LargeFiles.after(LastPlan.of(timeline.now()), 100).isTurnOf(120)).isFalse();

    timeline.plan("20260101000000001", Map.of(), group(60), group(40));
    timeline.commit("20260101000000001");
    timeline.overwrite("20260101000000002");
    if (archived) {
      timeline.archive();
    }
    LargeFiles large = LargeFiles.after(LastPlan.of(timeline.now()), 100);
    assertThat(large.isTurnOf(120)).isTrue();
    assertThat(large.isTurnOf(100)).isFalse();
    assertThat(LargeFiles.after(LastPlan.of(timeline.now()), Long.MAX_VALUE).isTurnOf(120))
        .isFalse();

    timeline.plan("20260101000000003", Map.of(), group(120));
    timeline.commit("20260101000000003");
    if (archived) {
      timeline.archive();
    }
    assertThat(LargeFiles.after(LastPlan.of(timeline.now()), 100).isTurnOf(120)).isFalse();
  }
}
