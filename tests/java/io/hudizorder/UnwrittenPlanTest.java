package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.plan.upkeep.LeftAlone;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.common.table.timeline.HoodieInstantTimeGenerator;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.table.HoodieSparkTable;
import org.apache.hudi.table.HoodieTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 1"})
  void aFileOfAsManyBytesAsTheLimitIsLeftAlone(int above, int planned) throws IOException {
    HudiTable table = tableIn(folder.resolve("t"));
    table.write(spark.range(0, 9, 1, 1).selectExpr("id", "id as a", "0L as p"), "bulk_insert");
    Map<String, String> settings = new HashMap<>(BY_A);
    settings.put("hoodie.clustering.plan.strategy.small.file.limit", "" + (bytes() + above));

    try (SparkRDDWriteClient<?> client = table.client(settings)) {
      assertThat(UnwrittenPlan.of(client).groups()).hasSize(planned);
    }
  }

  /** Those of the one file. */
  private long bytes() throws IOException {
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(folder.resolve("t").resolve("0"), "*.parquet")) {
      return Files.size(files.iterator().next());
    }
  }

  /** Or else each plan to come would look at them, and Hudi's filter leave them out again. */
  @Test
  void whatIsNoRecentDayIsNotLeftForLater() {
    HudiTable table =
        table(600, 3)
            .with("hoodie.clustering.plan.partition.filter.mode", "RECENT_DAYS")
            .with("hoodie.clustering.plan.strategy.daybased.lookback.partitions", "1");

    HoodieClusteringPlan plan = planned(table);

    assertThat(plan.getInputGroups()).extracting(LeftAlone::partition).containsExactly("2");
    assertThat(plan.getMissingSchedulePartitions()).isEmpty();
  }

  /** What has not been weighed since is what another plan has, which may be withdrawn. */
  @Test
  void whereAnotherPlanHasFilesSomethingIsLeftForLater() {
    table(600, 3).with("hoodie.clustering.plan.strategy.partition.selected", "0").schedule("a");

    HoodieClusteringPlan plan = planned(tableIn(folder.resolve("t")));

    assertThat(plan.getInputGroups())
        .extracting(LeftAlone::partition)
        .containsExactlyInAnyOrder("1", "2");
    assertThat(plan.getMissingSchedulePartitions()).containsExactly("0");
  }

  private static HoodieClusteringPlan planned(HudiTable table) {
    String instant = table.schedule("a");
    try (SparkRDDWriteClient<?> client = table.client(Map.of())) {
      HoodieTable<?, ?, ?, ?> hudi =
          HoodieSparkTable.create(client.getConfig(), client.getEngineContext());
      return ClusteringUtils.getAllPendingClusteringPlans(hudi.getMetaClient())
          .filter(plan -> plan.getLeft().requestedTime().equals(instant))
          .findFirst()
          .get()
          .getRight();
    }
  }
}
