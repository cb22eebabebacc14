package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hudi.config.HoodieWriteConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlannerConfigTest {

  private static final String COLUMNS = "hoodie.clustering.plan.strategy.sort.columns";
  private static final String CUTS = "hoodie.clustering.zorder.cuts";
  private static final String TARGET = "hoodie.clustering.plan.strategy.target.file.max.bytes";

  @TempDir Path folder;

  @Test
  void aSizeOfTheLastClusteringThatIsNoNumberIsToldWithItsKey() throws IOException {
    WrittenTimeline timeline = new WrittenTimeline(folder);
    timeline.clustering("20260101000000001", Map.of(COLUMNS, "a", CUTS, "tree", TARGET, "128MB"));
    HoodieWriteConfig client = HoodieWriteConfig.newBuilder().withPath(folder.toString()).build();

    PlannerConfig planner = PlannerConfig.of(timeline.now(), client);

    assertThatThrownBy(planner::require)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(TARGET)
        .hasMessageContaining("128MB");
  }
}
