package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.read.GroupInputs;
import io.hudizorder.read.MergingInput;
import io.hudizorder.read.PlannedInput;
import java.io.File;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.fs.FSUtils;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.table.HoodieSparkTable;
import org.apache.hudi.table.HoodieTable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is known of a group before its rows are read. */
@Timeout(300)
class ReadGroupsTest extends HudiTables {

  private static final String READER_OF_VECTORS = "vectorised";

  @Test
  void rowsOfFilesThatHudisReaderWidensAreCountedByTheirFooters() {
    HudiTable table = tableIn(folder.resolve("t")).write(rows(0, "int(id)"), "bulk_insert");
    table.write(rows(100, "id"), "bulk_insert");

    PlannedInput group = onlyGroup(table);

    assertThat(group.readers()).containsExactly(READER_OF_VECTORS, MergingInput.READER);
    assertThat(group.estimatedRows()).isEqualTo(200);
    assertThat(group.isCounted()).isTrue();
  }

  @Test
  void rowsOfFilesWithLargeLogsAreNotEstimated() {
    PlannedInput group = onlyGroup(updated(100));

    assertThat(group.readers()).containsExactly(MergingInput.READER);
    assertThat(group.estimatedRows()).isZero();
    assertThat(group.isCounted()).isFalse();
  }

  @Test
  void rowsOfFilesWithSmallLogsAreAboutThoseOfTheirBaseFiles() {
    PlannedInput group = onlyGroup(updated(1));

    assertThat(group.readers()).containsExactly(MergingInput.READER);
    assertThat(group.estimatedRows()).isEqualTo(100);
    assertThat(group.isCounted()).isFalse();
  }

  /** A file of a hundred rows, of which logs have some anew. */
  private HudiTable updated(int rows) {
    return tableIn(folder.resolve("t"))
        .with("hoodie.datasource.write.table.type", "MERGE_ON_READ")
        .write(rows(0, "id"), "bulk_insert")
        .write(rows(0, "id + 1").where("id < " + rows), "upsert");
  }

  @Test
  void filesBesideWhichChangesAreLoggedAreReadAndWeighedAlone() {
    HudiTable table = tableIn(folder.resolve("t")).with("hoodie.table.cdc.enabled", "true");
    table.write(rows(0, "id"), "bulk_insert").write(rows(0, "id + 1"), "upsert");

    PlannedInput group = onlyGroup(table);

    assertThat(files(".cdc")).isNotEmpty();
    assertThat(group.readers()).containsExactly(READER_OF_VECTORS);
    assertThat(group.estimatedRows()).isEqualTo(100);
    assertThat(group.target(2)).isEqualTo(newestBaseFile().length() / 2);
  }

  private File[] files(String ending) {
    return folder.resolve("t/0").toFile().listFiles((within, name) -> name.endsWith(ending));
  }

  private File newestBaseFile() {
    return Stream.of(files(".parquet"))
        .max(Comparator.comparing(file -> FSUtils.getCommitTime(file.getName())))
        .get();
  }

  private static Dataset<Row> rows(int from, String value) {
    return spark
        .range(from, from + 100, 1, 1)
        .selectExpr("id", "hash(id) AS a", "if(id < 0, null, " + value + ") AS n", "0 AS p");
  }

  private static PlannedInput onlyGroup(HudiTable table) {
    String instant = table.schedule("a");
    Map<String, String> columns = Map.of("hoodie.clustering.plan.strategy.sort.columns", "a");
    try (SparkRDDWriteClient<?> client = table.client(columns)) {
      HoodieWriteConfig config = client.getConfig();
      HoodieTable<?, ?, ?, ?> hudi =
          HoodieSparkTable.create(config, (HoodieSparkEngineContext) client.getEngineContext());
      ZOrderClusteringExecutionStrategy<?> strategy =
          new ZOrderClusteringExecutionStrategy<>(hudi, client.getEngineContext(), config);
      ClusteringSetup setup = ClusteringSetup.of(hudi.getMetaClient(), config, Map.of());
      GroupInputs inputs = strategy.inputs(setup.columns().schema(), instant);
      List<FileSlice> slices =
          ClusteringUtils.getAllPendingClusteringPlans(hudi.getMetaClient())
              .flatMap(plan -> plan.getRight().getInputGroups().stream())
              .flatMap(group -> strategy.slices(group).stream())
              .collect(Collectors.toList());
      return inputs.open(slices);
    }
  }
}
