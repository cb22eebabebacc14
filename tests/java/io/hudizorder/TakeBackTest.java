package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.plan.PendingPlan;
import java.util.Map;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.table.HoodieSparkTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A committed clustering is made pending again only if the look under the lock allows it. */
@Timeout(300)
class TakeBackTest extends HudiTables {

  @Test
  void aLookThatForbidsItLeavesTheCommit() {
    HudiTable table = table(600, 2);
    String instant = table.schedule("a");
    table.execute(instant, Map.of());
    try (SparkRDDWriteClient<?> client = table.client(Map.of())) {
      HoodieTableMetaClient metaClient =
          HoodieSparkTable.create(client.getConfig(), client.getEngineContext()).getMetaClient();

      assertThat(PendingPlan.takeBack(metaClient, client.getConfig(), instant, () -> false))
          .isFalse();
      assertThat(table.timeline()).anyMatch(name -> name.startsWith(instant + "_"));

      assertThat(PendingPlan.takeBack(metaClient, client.getConfig(), instant, () -> true))
          .isTrue();
      assertThat(table.timeline()).noneMatch(name -> name.startsWith(instant + "_"));
    }
  }
}
