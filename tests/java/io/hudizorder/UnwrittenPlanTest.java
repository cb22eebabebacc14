package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.common.table.timeline.HoodieInstantTimeGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class UnwrittenPlanTest extends HudiTables {

  private static final Map<String, String> BY_A =
      Map.of("hoodie.clustering.plan.strategy.sort.columns", "a");

  /** Hudi sleeps for each that it gives, as long as the clocks of two machines may differ. */
  @Test
  void takesNoneOfTheTimesThatInstantsHave() {
    HudiTable table = table(600, 2);
    try (SparkRDDWriteClient<?> client = table.client(BY_A)) {
      String last = HoodieInstantTimeGenerator.getLastInstantTime();

      UnwrittenPlan plan = UnwrittenPlan.of(client);

      assertThat(plan.groups()).hasSize(2);
      assertThat(HoodieInstantTimeGenerator.getLastInstantTime()).isEqualTo(last);
    }
  }

  /** Where Hudi asks what was completed between the last clustering and the plan. */
  @Test
  void findsWhatWasWrittenSinceTheLastClustering() {
    HudiTable table = table(600, 3);
    table.execute(table.schedule("a"), Map.of());
    table.write(
        spark.range(600, 1200, 1, 2).selectExpr("id", "hash(id) as a", "1L as p"), "bulk_insert");

    try (SparkRDDWriteClient<?> client = table.client(BY_A)) {
      assertThat(UnwrittenPlan.of(client).groups())
          .extracting(group -> group.getSlices().get(0).getPartitionPath())
          .containsExactly("1");
    }
  }
}
