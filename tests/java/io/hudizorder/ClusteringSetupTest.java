package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.layout.query.PartitionedQueries;
import io.hudizorder.option.PlanVersion;
import io.hudizorder.table.TableSchema;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieClusteringStrategy;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.HoodieTableVersion;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.storage.hadoop.HadoopStorageConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of real tables that hold no rows yet. */
class ClusteringSetupTest {

  private static final String SCHEMA =
      "{\"type\":\"record\",\"name\":\"t\",\"fields\":["
          + "{\"name\":\"a\",\"type\":\"long\"},{\"name\":\"b\",\"type\":\"long\"},"
          + "{\"name\":\"text\",\"type\":\"string\"},{\"name\":\"more\",\"type\":\"string\"},"
          + "{\"name\":\"s\",\"type\":{\"type\":\"record\",\"name\":\"s\",\"fields\":["
          + "{\"name\":\"id\",\"type\":\"long\"}]}}]}";

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "true, text, _hoodie_record_key b",
    "false, text, text b",
    "false, 'text,a', text a b",
    // No columns of their own: all that are hashed.
    "false, s.id, a b text more s",
    "false, , a b text more s"
  })
  void aSampleReadsTheKeyAndTheSortColumns(boolean metaFields, String key, String read)
      throws Exception {
    Properties config = new Properties();
    config.setProperty("hoodie.clustering.plan.strategy.sort.columns", "b");
    HoodieWriteConfig write =
        HoodieWriteConfig.newBuilder().withPath(folder.toString()).withProps(config).build();

    ClusteringSetup setup = ClusteringSetup.of(table(metaFields, key), write, Map.of());

    assertThat(setup.columns().sampledColumns()).isEqualTo(List.of(read.split(" ")));
  }

  @Test
  void whatWouldSwitchTheLastLookOffIsRefused() throws Exception {
    HoodieWriteConfig write =
        HoodieWriteConfig.newBuilder()
            .withPath(folder.toString())
            .withReleaseResourceEnabled(false)
            .build();
    write.setValue("hoodie.clustering.plan.strategy.sort.columns", "b");
    HoodieTableMetaClient table = table(true, "text");

    assertThatThrownBy(() -> ClusteringSetup.of(table, write, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'hoodie.release.resource.on.completion.enable' was 'false'");
  }

  @Test
  void aTableThatHudiOnlyReadsIsRefused() throws Exception {
    HoodieTableMetaClient table = table(true, "text");
    HoodieWriteConfig write = config("hoodie.metadata.enable", "true");
    table.getTableConfig().setTableVersion(HoodieTableVersion.SIX);
    assertThatCode(() -> ClusteringSetup.of(table, write, Map.of())).doesNotThrowAnyException();

    table.getTableConfig().setTableVersion(HoodieTableVersion.FIVE);

    assertThatThrownBy(() -> ClusteringSetup.of(table, write, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'hoodie.table.version' was '5'")
        .hasMessageContaining("upgrade it first");
  }

  /** To find it in the table, the last commit is read with all its files. */
  @Test
  void anExecutionTakesTheSchemaThatItsConfigurationHas() throws Exception {
    HoodieWriteConfig client = HoodieWriteConfig.newBuilder().withPath(folder.toString()).build();
    client.setValue("hoodie.clustering.plan.strategy.sort.columns", "later");
    HoodieTableMetaClient table = table(true, "text");
    HoodieWriteConfig found = TableSchema.config(table, client);
    String known = found.getSchema();
    found.setSchema(known.replace("\"name\":\"b\"", "\"name\":\"later\""));

    ClusteringSetup setup = ClusteringSetup.ofExecution(table, found, Map.of());

    assertThat(new Schema.Parser().parse(known)).isEqualTo(new Schema.Parser().parse(SCHEMA));
    assertThat(setup.columns().sampledColumns()).containsExactly("_hoodie_record_key", "later");
  }

  /** Forecasts of many clusterings outlive these. */
  @Test
  void noForecastHoldsTheQueriesOfGroupsOfOneFile() throws Exception {
    HoodieWriteConfig write = config("hoodie.clustering.plan.strategy.sort.columns", "b");
    QueryForecast forecast = new QueryForecast();
    ClusteringSetup setup = ClusteringSetup.of(table(true, "text"), write, Map.of());
    HoodieClusteringGroup group =
        HoodieClusteringGroup.newBuilder()
            .setSlices(
                List.of(HoodieSliceInfo.newBuilder().setPartitionPath("").setFileId("f").build()))
            .setNumOutputFileGroups(1)
            .build();

    new GroupFitting(setup, write).addWhole(List.of(group), forecast);

    WeakReference<PartitionedQueries> queries = new WeakReference<>(setup.queries());
    setup = null;
    System.gc();
    assertThat(queries.get()).isNull();
    assertThat(forecast.describe()).isEmpty();
  }

  private HoodieTableMetaClient table(boolean metaFields, String key) throws Exception {
    return HoodieTableMetaClient.newTableBuilder()
        .setTableName("t")
        .setTableType("COPY_ON_WRITE")
        .setRecordKeyFields(key)
        .setPopulateMetaFields(metaFields)
        .setTableCreateSchema(SCHEMA)
        .initTable(new HadoopStorageConfiguration(new Configuration()), folder.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "files, hoodie.metadata.enable",
    "bloom_filters, hoodie.metadata.index.bloom.filter.enable",
    "column_stats, hoodie.metadata.index.column.stats.enable"
  })
  void anIndexThatTheCommitWouldCostIsRefusedUnlessItIsKept(String index, String setting)
      throws Exception {
    HoodieTableMetaClient table = table(true, "text");
    table.getTableConfig().setValue("hoodie.table.metadata.partitions", index);
    HoodieWriteConfig with = config(setting, "true");
    HoodieWriteConfig without = config(setting, "false");

    assertThatCode(() -> ClusteringSetup.of(table, with, Map.of())).doesNotThrowAnyException();
    assertThatThrownBy(() -> ClusteringSetup.of(table, without, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the index '" + index + "'")
        .hasMessageContaining("'" + setting + "' was 'false'");
  }

  private HoodieWriteConfig config(String setting, String value) {
    Properties config = new Properties();
    config.setProperty("hoodie.clustering.plan.strategy.sort.columns", "b");
    config.setProperty(setting, value);
    return HoodieWriteConfig.newBuilder().withPath(folder.toString()).withProps(config).build();
  }

  @ParameterizedTest
  @CsvSource({
    "00000003-1c2d-4d5e-8f6a-7b8c9d0e1f2a-0, true",
    "9f4d3c2b-1c2d-4d5e-8f6a-7b8c9d0e1f2a-0, false"
  })
  void aPlanForBucketsIsAtFaultWhoeverExecutesIt(String fileId, boolean fault) throws Exception {
    HoodieWriteConfig write = HoodieWriteConfig.newBuilder().withPath(folder.toString()).build();
    HoodieSliceInfo slice = HoodieSliceInfo.newBuilder().setFileId(fileId).build();
    HoodieClusteringPlan plan =
        HoodieClusteringPlan.newBuilder()
            .setInputGroups(
                List.of(HoodieClusteringGroup.newBuilder().setSlices(List.of(slice)).build()))
            .setStrategy(HoodieClusteringStrategy.newBuilder().build())
            .build();

    assertThat(ClusteringSetup.isPlansFault(table(true, "text"), write, plan)).isEqualTo(fault);
  }

  /** As another version has made it: what that calls a column this one may not know. */
  @ParameterizedTest
  @CsvSource({"0.1.9, gone, true", "9.0.0, gone, false", "0.1.9, b, false"})
  void aPlanOfAnotherVersionIsNotAtFault(String version, String column, boolean fault)
      throws Exception {
    HoodieWriteConfig write = HoodieWriteConfig.newBuilder().withPath(folder.toString()).build();
    Map<String, String> parameters =
        Map.of(
            PlanVersion.KEY,
            version,
            "hoodie.clustering.plan.strategy.sort.columns",
            column,
            "hoodie.clustering.zorder.later",
            "any");
    HoodieClusteringPlan plan =
        HoodieClusteringPlan.newBuilder()
            .setInputGroups(List.of())
            .setStrategy(
                HoodieClusteringStrategy.newBuilder().setStrategyParams(parameters).build())
            .build();
    HoodieTableMetaClient table = table(true, "text");

    assertThat(ClusteringSetup.isPlansFault(table, TableSchema.config(table, write), plan))
        .isEqualTo(fault);
  }

  /** Each would execute the plan that it makes, and by Hudi's own class. */
  @ParameterizedTest
  @ValueSource(strings = {"hoodie.clustering.inline", "hoodie.clustering.async.enabled"})
  void aWriterThatClustersByItselfIsToExecuteAsItPlans(String clusters) throws Exception {
    HoodieTableMetaClient table = table(true, "text");

    assertThatCode(() -> ClusteringSetup.ofPlanner(table, config(clusters, "false")))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> ClusteringSetup.ofPlanner(table, config(clusters, "true")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'hoodie.clustering.execution.strategy.class' was");
  }

  @Test
  void anIndexByBucketsIsRefused() throws Exception {
    HoodieTableMetaClient table = table(true, "text");
    HoodieWriteConfig write = HoodieWriteConfig.newBuilder().withPath(folder.toString()).build();
    write.setValue("hoodie.clustering.plan.strategy.sort.columns", "b");
    write.setValue("hoodie.index.type", "BUCKET");

    assertThatThrownBy(() -> ClusteringSetup.of(table, write, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'hoodie.index.type' was 'BUCKET'");
  }
}
