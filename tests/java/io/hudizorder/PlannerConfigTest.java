package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieClusteringStrategy;
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
  private static final String LARGEST = "hoodie.clustering.plan.strategy.small.file.limit";
  private static final String MOST_BYTES = "hoodie.clustering.zorder.max.bytes.per.plan";

  private static final Map<String, String> LAST =
      Map.of(
          COLUMNS, "a",
          CUTS, "tree",
          TARGET, "5000",
          LARGEST, "300",
          THRESHOLD, "1.5",
          MOST_BYTES, "1000");

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
    "1.5, 1000, 5000, 300, incremental, false, false",
    "1.6, 999, 5000, 299, incremental, false, false",
    "1.4, 1000, 5000, 300, incremental, true, true",
    "1.5, 1001, 5000, 300, incremental, true, true",
    "1.5, 1000, 5001, 300, incremental, true, false",
    "1.5, 1000, 5000, 301, incremental, true, true",
    "1.5, 1000, 5000, 300, full, true, false"
  })
  void aPlanThatAsksForMoreThanTheLastLooksAtAllPartitions(
      String threshold,
      String mostBytes,
      String target,
      String largest,
      String mode,
      boolean everywhere,
      boolean more)
      throws IOException {
    WrittenTimeline timeline = new WrittenTimeline(folder);
    timeline.clustering("20260101000000001", LAST);
    HoodieWriteConfig client = client();
    client.setValue(THRESHOLD, threshold);
    client.setValue(MOST_BYTES, mostBytes);
    client.setValue(TARGET, target);
    client.setValue(LARGEST, largest);
    client.setValue("hoodie.clustering.zorder.mode", mode);

    assertThat(looksEverywhere(timeline, client)).isEqualTo(everywhere);
    assertThat(planner(timeline, client).wantsMore(options(client))).isEqualTo(more);
  }

  @Test
  void theFirstPlanWantsNoMoreThanAnyBefore() throws IOException {
    HoodieWriteConfig client = client();
    WrittenTimeline timeline = new WrittenTimeline(folder);

    assertThat(planner(timeline, client).wantsMore(options(client))).isFalse();
  }

  /** Such a plan does not tell the next what the last of ours has left to look at. */
  @Test
  void aPlanAfterOneOfOthersLooksAtAllPartitions() throws IOException {
    WrittenTimeline timeline = new WrittenTimeline(folder);
    timeline.clustering("20260101000000001", LAST);
    assertThat(looksEverywhere(timeline, client())).isFalse();

    timeline.clustering("20260101000000002", Map.of(COLUMNS, "a"));
    assertThat(looksEverywhere(timeline, client())).isTrue();

    timeline.clustering("20260101000000003", LAST);
    timeline.overwrite("20260101000000004");
    assertThat(looksEverywhere(timeline, client())).isFalse();
  }

  @Test
  void aPlanAfterOneOfHudiBefore1LooksAtAllPartitions() throws IOException {
    WrittenTimeline timeline = new WrittenTimeline(folder);
    timeline.plan(
        "20260101000000001",
        HoodieClusteringPlan.newBuilder()
            .setInputGroups(List.of())
            .setStrategy(HoodieClusteringStrategy.newBuilder().setStrategyParams(LAST).build())
            .setMissingSchedulePartitions(null)
            .build());
    timeline.commit("20260101000000001");

    assertThat(looksEverywhere(timeline, client())).isTrue();
  }

  /** Of a plan that does not tell what it has left alone for its size, it may be anything. */
  @Test
  void aPlanAfterOneThatTellsNoLimitOfFilesLooksAtAllPartitions() throws IOException {
    Map<String, String> last = new HashMap<>(LAST);
    last.remove(LARGEST);
    WrittenTimeline timeline = new WrittenTimeline(folder);
    timeline.clustering("20260101000000001", last);

    assertThat(looksEverywhere(timeline, client())).isTrue();
  }

  @Test
  void aPlanTellsItsOwnLimitsToTheNext() throws IOException {
    HoodieWriteConfig client = client();
    PlannerConfig planner = PlannerConfig.of(new WrittenTimeline(folder).now(), client);

    assertThat(planner.parameters())
        .containsOnly(Map.entry(TARGET, "5000"), Map.entry(LARGEST, "300"));
  }

  /** As the last plan was. */
  private HoodieWriteConfig client() {
    HoodieWriteConfig client = HoodieWriteConfig.newBuilder().withPath(folder.toString()).build();
    LAST.forEach(client::setValue);
    return client;
  }

  private static boolean looksEverywhere(WrittenTimeline timeline, HoodieWriteConfig client) {
    return planner(timeline, client).looksEverywhere(options(client));
  }

  private static PlannerConfig planner(WrittenTimeline timeline, HoodieWriteConfig client) {
    return PlannerConfig.of(timeline.now(), client);
  }

  private static ZOrderOptions options(HoodieWriteConfig client) {
    return ZOrderOptions.of(client.getProps(), Map.of());
  }
}
