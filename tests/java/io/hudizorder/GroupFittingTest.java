package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.option.GroupKeys;
import java.util.Map;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.junit.jupiter.api.Test;

class GroupFittingTest {

  private static double fullness(Map<String, Double> metrics) {
    HoodieClusteringGroup group = HoodieClusteringGroup.newBuilder().setMetrics(metrics).build();
    return GroupFitting.fullness(group, 1_000);
  }

  @Test
  void theOnlyFileOfAGroupIsAsFullAsItsPlanSays() {
    assertThat(fullness(Map.of(GroupKeys.BYTES, 250.0))).isEqualTo(0.25);
    assertThat(fullness(Map.of(GroupKeys.BYTES, 2_000.0))).as("one file, no more").isEqualTo(1);
  }

  @Test
  void whereThePlanDoesNotSayItIsFull() {
    assertThat(fullness(Map.of())).isEqualTo(1);
    assertThat(fullness(null)).isEqualTo(1);
  }
}
