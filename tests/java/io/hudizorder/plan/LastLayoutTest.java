package io.hudizorder.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.hudizorder.EmptyTable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieClusteringStrategy;
import org.apache.hudi.avro.model.HoodieRequestedReplaceMetadata;
import org.apache.hudi.client.timeline.versioning.v2.LSMTimelineWriter;
import org.apache.hudi.common.engine.LocalTaskContextSupplier;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.model.WriteOperationType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.ActiveAction;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
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

    assertThat(LastLayout.completed(options, LastLayout.of(now())).getProperty(QUERIES, ""))
        .isEqualTo(queries);
  }

  private static Properties completed(Map<String, String> given, Map<String, String> last) {
    Properties options = new Properties();
    options.putAll(given);
    return LastLayout.completed(options, last);
  }

  private static final Map<String, String> LAST =
      Map.of(
          COLUMNS,
          "a,B",
          CUTS,
          "equal",
          "hoodie.clustering.zorder.column.weights",
          "a=1.0,B=0.33",
          "hoodie.layout.optimize.strategy",
          "LINEAR",
          "hoodie.clustering.zorder.file.order",
          "tiles",
          "hoodie.clustering.zorder.mode",
          "full",
          "hoodie.clustering.zorder.verify",
          "content");

  @Test
  void whatNobodyChoseIsThatOfTheLastClusteringBySameColumns() {
    assertThat(completed(Map.of(COLUMNS, "A, b"), LAST))
        .containsOnly(
            entry(COLUMNS, "a,B"),
            entry(CUTS, "equal"),
            entry("hoodie.clustering.zorder.column.weights", "a=1.0,B=0.33"),
            entry("hoodie.layout.optimize.strategy", "LINEAR"));
  }

  @Test
  void whatSomebodyChoseStands() {
    Map<String, String> chosen =
        Map.of(
            COLUMNS,
            "A,b",
            CUTS,
            "tree",
            "hoodie.clustering.zorder.column.weights",
            "A=2",
            "hoodie.layout.optimize.strategy",
            "zorder");
    assertThat(completed(chosen, LAST)).containsExactlyInAnyOrderEntriesOf(chosen);
  }

  @ParameterizedTest
  @CsvSource({"'b,a', ''", "'a,b', _z", "'', ''"})
  void otherColumnsAreAnotherLayout(String columns, String zColumn) {
    Map<String, String> given =
        Map.of(COLUMNS, columns, "hoodie.clustering.zorder.z.column", zColumn);
    assertThat(completed(given, LAST)).containsExactlyInAnyOrderEntriesOf(given);
  }

  @Test
  void itIsFoundInTheArchiveHoweverManyOverwritesCameSince() throws IOException {
    String clustering = "20260101000000000";
    plan(clustering, Map.of(COLUMNS, "a,b", CUTS, "tree"));
    commit(clustering);
    List<ActiveAction> archived = new ArrayList<>();
    for (int n = 1; n < 60; n++) {
      String overwrite = String.format("202601010000%05d", n);
      Files.createFile(
          folder.resolve(".hoodie/timeline").resolve(overwrite + ".replacecommit.requested"));
      commit(overwrite);
    }
    for (HoodieInstant done : now().getActiveTimeline().filterCompletedInstants().getInstants()) {
      String action =
          done.requestedTime().equals(clustering)
              ? HoodieTimeline.CLUSTERING_ACTION
              : HoodieTimeline.REPLACE_COMMIT_ACTION;
      HoodieInstant requested =
          table.createNewInstant(HoodieInstant.State.REQUESTED, action, done.requestedTime());
      archived.add(ActiveAction.fromInstants(List.of(requested, done)));
    }

    archive(archived);

    assertThat(now().getActiveTimeline().countInstants()).isZero();
    assertThat(LastLayout.of(now())).containsEntry(COLUMNS, "a,b");
  }

  private void archive(List<ActiveAction> actions) throws IOException {
    HoodieWriteConfig config = HoodieWriteConfig.newBuilder().withPath(folder.toString()).build();
    LSMTimelineWriter.getInstance(config, new LocalTaskContextSupplier(), now())
        .write(
            actions,
            Option.empty(),
            Option.of(
                e -> {
                  throw new IllegalStateException(e);
                }));
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(folder.resolve(".hoodie/timeline"), "2026*")) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
  }
}
