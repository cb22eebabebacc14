package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.table.TableSchema;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.storage.hadoop.HadoopStorageConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  private HoodieTableMetaClient table(boolean metaFields, String key) throws Exception {
    return HoodieTableMetaClient.newTableBuilder()
        .setTableName("t")
        .setTableType("COPY_ON_WRITE")
        .setRecordKeyFields(key)
        .setPopulateMetaFields(metaFields)
        .setTableCreateSchema(SCHEMA)
        .initTable(new HadoopStorageConfiguration(new Configuration()), folder.toString());
  }
}
