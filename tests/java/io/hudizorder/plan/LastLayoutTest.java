package io.hudizorder.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.EmptyTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieClusteringStrategy;
import org.apache.hudi.avro.model.HoodieRequestedReplaceMetadata;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.model.WriteOperationType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LastLayoutTest {

  private static final String COLUMNS = "hoodie.clustering.plan.strategy.sort.columns";
  private static final String CUTS = "hoodie.clustering.zorder.cuts";
  private static final String QUERIES = "hoodie.clustering.zorder.queries";

  @TempDir Path folder;
  private HoodieTableMetaClient table;

  @BeforeEach
  void makeTable() throws Exception {
    table = EmptyTable.in(folder, HoodieTableType.COPY_ON_WRITE);
  }

  private void plan(String time, Map<String, String> parameters) {
    HoodieClusteringStrategy strategy =
        HoodieClusteringStrategy.newBuilder().setStrategyParams(parameters).build();
    table
        .getActiveTimeline()
        .saveToPendingClusterCommit(
            table.createNewInstant(
                HoodieInstant.State.REQUESTED, HoodieTimeline.CLUSTERING_ACTION, time),
            HoodieRequestedReplaceMetadata.newBuilder()
                .setOperationType(WriteOperationType.CLUSTER.name())
                .setClusteringPlan(
                    HoodieClusteringPlan.newBuilder()
                        .setInputGroups(List.of())
                        .setStrategy(strategy)
                        .build())
                .build());
  }

  private void commit(String time) throws IOException {
    Files.createFile(
        folder.resolve(".hoodie/timeline").resolve(time + "_" + time + ".replacecommit"));
  }

  private HoodieTableMetaClient now() {
    return HoodieTableMetaClient.reload(table);
  }

  @Test
  void itIsThatOfTheLatestPlanOfOursThatWasCommitted() throws IOException {
    assertThat(LastLayout.of(now())).isEmpty();

    plan("20260101000000001", Map.of(COLUMNS, "a", CUTS, "tree"));
    commit("20260101000000001");
    plan("20260101000000002", Map.of(COLUMNS, "a,b", CUTS, "tree"));
    commit("20260101000000002");
    plan("20260101000000003", Map.of(COLUMNS, "c")); // by Hudi's own planner
    commit("20260101000000003");
    plan("20260101000000004", Map.of(COLUMNS, "d", CUTS, "tree"));

    assertThat(LastLayout.of(now())).containsEntry(COLUMNS, "a,b");
  }

  @ParameterizedTest
  @CsvSource({
    "'a,b', '', last",
    "'A, b', '', last",
    "'a,b', none, none",
    "'a,b', others, others",
    "'b,a', '', ''",
    "'a', '', ''"
  })
  void itsQueriesHoldForTheSameColumnsUntilOthersAreGiven(
      String columns, String given, String queries) throws IOException {
    plan("20260101000000001", Map.of(COLUMNS, "a,B", CUTS, "tree", QUERIES, "last"));
    commit("20260101000000001");
    Properties options = new Properties();
    options.setProperty(COLUMNS, columns);
    options.setProperty(QUERIES, given);

    assertThat(LastLayout.withQueries(now(), options).getProperty(QUERIES)).isEqualTo(queries);
  }
}
