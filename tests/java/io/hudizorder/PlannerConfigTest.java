package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hudi.config.HoodieWriteConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlannerConfigTest {

  private static final String COLUMNS = "hoodie.clustering.plan.strategy.sort.columns";
  private static final String CUTS = "hoodie.clustering.zorder.cuts";
  private static final String TARGET = "hoodie.clustering.plan.strategy.target.file.max.bytes";
  private static final String THRESHOLD = "hoodie.clustering.zorder.read.threshold";
  private static final String MOST_BYTES = "hoodie.clustering.zorder.max.bytes.per.plan";

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

  /** Where the last plan has left nothing, another that asks no more finds nothing either. */
  @ParameterizedTest
  @CsvSource({
    "1.5, 1000, 5000, incremental, false",
    "1.6, 999, 5000, incremental, false",
    "1.4, 1000, 5000, incremental, true",
    "1.5, 1001, 5000, incremental, true",
    "1.5, 1000, 5001, incremental, true",
    "1.5, 1000, 5000, full, true"
  })
  void aPlanThatAsksForMoreThanTheLastLooksAtAllPartitions(
      String threshold, String mostBytes, String target, String mode, boolean everywhere)
      throws IOException {
    WrittenTimeline timeline = new WrittenTimeline(folder);
    Map<String, String> last =
        Map.of(COLUMNS, "a", CUTS, "tree", TARGET, "5000", THRESHOLD, "1.5", MOST_BYTES, "1000");
    timeline.clustering("20260101000000001", last);
    HoodieWriteConfig client = HoodieWriteConfig.newBuilder().withPath(folder.toString()).build();
    client.setValue(COLUMNS, "a");
    client.setValue(THRESHOLD, threshold);
    client.setValue(MOST_BYTES, mostBytes);
    client.setValue(TARGET, target);
    client.setValue("hoodie.clustering.zorder.mode", mode);

    PlannerConfig planner = PlannerConfig.of(timeline.now(), client);
    ZOrderOptions options = ZOrderOptions.of(planner.completed().getProps(), Map.of());

    assertThat(planner.looksEverywhere(options)).isEqualTo(everywhere);
  }
}
