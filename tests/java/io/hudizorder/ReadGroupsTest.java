package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.parquet.Footers;
import io.hudizorder.read.GroupInputs;
import io.hudizorder.read.MergingInput;
import io.hudizorder.read.PlannedInput;
import java.io.File;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.fs.FSUtils;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.table.HoodieSparkTable;
import org.apache.hudi.table.HoodieTable;
import org.apache.parquet.crypto.keytools.PropertiesDrivenCryptoFactory;
import org.apache.parquet.hadoop.metadata.FileMetaData.EncryptionType;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsEncryptedIsNotWrittenByASessionThatHasNoKeysForIt(boolean plainFooter)
      throws IOException {
    Map<String, String> reading =
        Map.of(
            "parquet.crypto.factory.class", PropertiesDrivenCryptoFactory.class.getName(),
            "parquet.encryption.kms.client.class", PlainKeys.class.getName());
    Map<String, String> writing =
        Map.of(
            "parquet.encryption.footer.key", "footer",
            "parquet.encryption.column.keys", "column:a",
            "parquet.encryption.plaintext.footer", String.valueOf(plainFooter));
    Configuration session = spark.sparkContext().hadoopConfiguration();
    try {
      reading.forEach(session::set);
      writing.forEach(session::set);
      HudiTable table = tableIn(folder.resolve("t")).write(rows(0, "id"), "bulk_insert");
      String instant = table.schedule("a");
      assertThat(onlyGroup(table, instant).estimatedRows()).isEqualTo(100);

      writing.keySet().forEach(session::unset);

      assertThatThrownBy(() -> onlyGroup(table, instant))
          .isInstanceOf(HoodieClusteringException.class)
          .hasMessageContaining("is encrypted, and what this session writes is not")
          .hasMessageContaining("'parquet.encryption.footer.key'");

      writing.forEach(session::set);
      table.execute(instant, Map.of());
      assertThat(table.read().count()).isEqualTo(100);
      EncryptionType written =
          Footers.read(new Path(newestBaseFile().toURI()), session)
              .getFileMetaData()
              .getEncryptionType();
      assertThat(written)
          .isEqualTo(
              plainFooter ? EncryptionType.PLAINTEXT_FOOTER : EncryptionType.ENCRYPTED_FOOTER);
    } finally {
      reading.keySet().forEach(session::unset);
      writing.keySet().forEach(session::unset);
    }
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
    return onlyGroup(table, table.schedule("a"));
  }

  private static PlannedInput onlyGroup(HudiTable table, String instant) {
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
