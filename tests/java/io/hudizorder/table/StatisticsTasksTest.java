package io.hudizorder.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hudi.common.config.HoodieMetadataConfig;
import org.apache.hudi.config.HoodieWriteConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatisticsTasksTest {

  private static final String COLUMNS = "hoodie.metadata.index.column.stats.parallelism";

  private final HoodieWriteConfig client = HoodieWriteConfig.newBuilder().withPath("/t").build();

  private int tasks(int cores, boolean grows) {
    StatisticsTasks.limit(client, cores, grows);
    return client.getMetadataConfig().getColumnStatsIndexParallelism();
  }

  @ParameterizedTest
  @CsvSource({"2,false,4", "300,false,200", "2,true,200"})
  void areFewOnFewCoresUnlessThereMayBeMore(int cores, boolean grows, int tasks) {
    assertThat(tasks(cores, grows)).isEqualTo(tasks);
  }

  @Test
  void ofAClientThatClustersAgainAreAsManyAsItsCoresAreThen() {
    assertThat(tasks(2, false)).isEqualTo(4);
    assertThat(tasks(30, false)).isEqualTo(60);
    assertThat(tasks(30, true)).isEqualTo(200);
    assertThat(tasks(4, false)).isEqualTo(8);
  }

  @Test
  void thatSomebodyHasChosenSinceStayAsManyAsTheyAre() {
    assertThat(tasks(2, false)).isEqualTo(4);
    HoodieMetadataConfig metadata = client.getMetadataConfig();
    metadata.setValue(COLUMNS, "7");

    assertThat(tasks(30, false)).isEqualTo(7);
    assertThat(metadata.getPartitionStatsIndexParallelism()).isEqualTo(60);
  }
}
