package io.hudizorder;

import static org.apache.hudi.common.config.HoodieStorageConfig.PARQUET_MAX_FILE_SIZE;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_SORT_COLUMNS;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_TARGET_FILE_MAX_BYTES;
import static org.apache.hudi.config.HoodieInternalConfig.BULKINSERT_OVERWRITE_OPERATION_TYPE;
import static org.apache.hudi.config.HoodieWriteConfig.BULKINSERT_USER_DEFINED_PARTITIONER_SORT_COLUMNS;
import static org.apache.hudi.keygen.constant.KeyGeneratorOptions.PARTITIONPATH_FIELD_NAME;
import static org.apache.hudi.keygen.constant.KeyGeneratorOptions.RECORDKEY_FIELD_NAME;

import io.hudizorder.hudi.HudiRelease;
import io.hudizorder.option.ChosenValues;
import io.hudizorder.parquet.FileLimit;
import io.hudizorder.parquet.ParquetSize;
import io.hudizorder.plan.LastLayout;
import io.hudizorder.plan.slice.LayoutMark;
import io.hudizorder.plan.upkeep.LoadWeights;
import io.hudizorder.spark.NamedColumn;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.fit.PartitionTargets;
import io.hudizorder.spark.fit.RowClustering;
import io.hudizorder.spark.shuffle.FittedLayout;
import io.hudizorder.table.PartitionFolders;
import io.hudizorder.table.SuitableTable;
import io.hudizorder.table.TableColumns;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.view.FileSystemViewManager;
import org.apache.hudi.common.table.view.HoodieTableFileSystemView;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.hadoop.fs.HadoopFSUtils;
import org.apache.hudi.keygen.KeyGenUtils;
import org.apache.hudi.table.BulkInsertPartitioner;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/**
 * Lays a table out for data skipping as {@code bulk_insert} writes it, with the options and the
 * quality of a clustering; the class to name in {@code
 * hoodie.bulkinsert.user.defined.partitioner.class}.
 *
 * <p>Every partition of the table gets a split tree of its own, cut by columns as its rows span
 * them ({@link LoadWeights}), and as many files as its rows fill; partitions of a single file share
 * Spark tasks. Rows that nobody has counted are sampled by {@code
 * hoodie.layout.optimize.build.curve.sample.size} alone: a load of more than a thousand files wants
 * 250 rows a file. A write that names no columns to sort by follows the layout that the table's
 * last clustering was asked for, and so does one that names its columns, in what it does not say.
 * Files tell their layout, so that upkeep takes them for a run ({@link LayoutMark}). The input is
 * evaluated twice: for a sample, and to be written, and what an executor loses once more. Rows of
 * equal sort values are shared out by a hash of columns that are the same each time ({@link
 * TableColumns#repeatableColumns}), not by the record key: a row that went elsewhere the second
 * time would be lost, or be there twice. Rows equal in all of these share a task, which begins
 * another file where one is full. Hudi asks no partitioner of a table without meta fields, or of
 * one whose bucket index the write names; where it does not, a table of buckets is refused.
 *
 * <p>Hudi gives the rows as a {@code Dataset}, but with the row writer off the records as an RDD;
 * the type parameter is as wide as that, so that records can be refused with a remedy.
 */
public final class ZOrderBulkInsertPartitioner implements BulkInsertPartitioner<Object> {

  private static final long serialVersionUID = 1L;

  /**
   * How full a file is made of what {@code hoodie.parquet.max.file.size} allows, where no target is
   * chosen: files differ by some 6 % in rows, and their size is an estimate.
   */
  private static final double FULLNESS = 0.85;

  /** Meta columns that need not travel through the shuffle. */
  private static final Map<String, String> FILLED_IN_BY_WRITER =
      Map.of(
          HoodieRecord.COMMIT_TIME_METADATA_FIELD, "",
          HoodieRecord.COMMIT_SEQNO_METADATA_FIELD, "",
          HoodieRecord.FILENAME_METADATA_FIELD, "");

  private final transient HoodieWriteConfig config;
  private final transient Properties chosen;
  private final transient ZOrderOptions options;

  /**
   * Reads and validates the options.
   *
   * @param config of the write at hand, which Hudi makes for it alone
   * @throws IllegalArgumentException with what is wrong, where, and the remedy
   */
  public ZOrderBulkInsertPartitioner(HoodieWriteConfig config) {
    HudiRelease.requireSupported();
    this.config = config;
    this.chosen = withLastLayout(config);
    this.options = ZOrderOptions.of(chosen, Map.of());
    FileWriters.check(config, options);
    // The writers get this very configuration.
    FileWriters.install(config, options);
    // Without a target there is no telling how large files a clustering would make.
    if (hasTarget()) {
      LayoutMark.set(config, options.layout(), fileBytes());
    }
  }

  private static Properties withLastLayout(HoodieWriteConfig config) {
    Properties given = withSortColumns(config.getProps());
    boolean named = !given.getProperty(PLAN_STRATEGY_SORT_COLUMNS.key(), "").trim().isEmpty();
    if (named && !LastLayout.isLeftOpen(given)) {
      return given;
    }
    Map<String, String> last = LastLayout.of(table(config));
    return named ? LastLayout.completed(given, last) : ChosenValues.completed(given, last);
  }

  /**
   * Properties that name the sort columns as Hudi's own partitioners want them, if no other way.
   */
  private static Properties withSortColumns(Properties given) {
    String named = given.getProperty(BULKINSERT_USER_DEFINED_PARTITIONER_SORT_COLUMNS.key(), "");
    if (named.isBlank() || given.containsKey(PLAN_STRATEGY_SORT_COLUMNS.key())) {
      return given;
    }
    return ChosenValues.completed(given, Map.of(PLAN_STRATEGY_SORT_COLUMNS.key(), named));
  }

  private static HoodieTableMetaClient table(HoodieWriteConfig config) {
    return HoodieTableMetaClient.builder()
        .setConf(
            HadoopFSUtils.getStorageConf(
                SparkSession.active().sparkContext().hadoopConfiguration()))
        .setBasePath(config.getBasePath())
        .build();
  }

  @Override
  public Object repartitionRecords(Object records, int outputPartitions) {
    if (!(records instanceof Dataset)) {
      throw new IllegalArgumentException(
          "Cannot lay out a bulk insert: the records came as "
              + records.getClass().getSimpleName()
              + ", 'hoodie.datasource.write.row.writer.enable' was 'false'; set it to 'true', or"
              + " leave it out");
    }
    @SuppressWarnings("unchecked")
    Dataset<Row> rows = (Dataset<Row>) records;
    return arrange(
        config.shouldDropPartitionColumns() ? partitionLast(rows) : rows, outputPartitions);
  }

  /**
   * The rows with the columns of partitions last, where files leave these out: Hudi takes them out
   * of each row, and those behind them for the ones before.
   */
  private Dataset<Row> partitionLast(Dataset<Row> rows) {
    List<String> left = List.of(partitionFields().trim().split("\\s*,\\s*"));
    return rows.select(
        Arrays.stream(rows.columns())
            .sorted(Comparator.comparing(left::contains))
            .map(NamedColumn::of)
            .toArray(Column[]::new));
  }

  private Dataset<Row> arrange(Dataset<Row> rows, int tasks) {
    StructType schema = rows.schema();
    HoodieTableMetaClient table = table(config);
    List<SortColumn> columns =
        SortColumn.resolve(schema, options.layout().columns(), constants(table));
    RowClustering clustering =
        new RowClustering(
            options.layout(),
            columns,
            identity(schema),
            TableColumns.repeatableColumns(schema, keyFields()));
    long fileBytes = fileBytes();
    FittedLayout layout = fit(rows, clustering, columns, tasks, table);
    // The writers cut a leaf again only where it is far larger than it should be.
    config.setValue(
        PARQUET_MAX_FILE_SIZE,
        String.valueOf(FileLimit.ofHudi(config, options.pageRowLimit(), schema, fileBytes)));
    return clustering.arrange(rows, layout, FILLED_IN_BY_WRITER);
  }

  private FittedLayout fit(
      Dataset<Row> rows,
      RowClustering clustering,
      List<SortColumn> columns,
      int tasks,
      HoodieTableMetaClient table) {
    SparkContext spark = rows.sparkSession().sparkContext();
    SuitableTable.requireForBulkInsert(table);
    try (HoodieTableFileSystemView view =
        FileSystemViewManager.createInMemoryFileSystemView(
            new HoodieSparkEngineContext(JavaSparkContext.fromSparkContext(spark)),
            table,
            config.getMetadataConfig())) {
      LoadWeights weights =
          new LoadWeights(view, table.getStorage(), config, options.layout(), columns);
      PartitionTargets targets =
          new PartitionTargets(
              HoodieRecord.PARTITION_PATH_METADATA_FIELD,
              fileBytes(),
              tasks,
              replacesFiles() ? (path, bytes, ranges) -> options.layout().weights() : weights,
              PartitionFolders.of(table.getTableConfig(), rows.schema())::values);
      return clustering.fitPartitions(
          rows, targets, new ParquetSize(config, spark.hadoopConfiguration(), rows.schema()));
    }
  }

  /** Whether the rows are written in place of others, and not beside them. */
  private boolean replacesFiles() {
    return !config.getStringOrDefault(BULKINSERT_OVERWRITE_OPERATION_TYPE, "").isEmpty();
  }

  private boolean hasTarget() {
    return ChosenValues.isChosen(chosen, PLAN_STRATEGY_TARGET_FILE_MAX_BYTES);
  }

  private long fileBytes() {
    if (hasTarget()) {
      return ChosenValues.of(chosen)
          .number(PLAN_STRATEGY_TARGET_FILE_MAX_BYTES, 1, Long.MAX_VALUE, "bytes");
    }
    long limit = config.getParquetMaxFileSize();
    if (limit < 1) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot lay out a bulk insert: '%s' was '%d'; write a positive number of bytes",
              PARQUET_MAX_FILE_SIZE.key(), limit));
    }
    return (long) Math.ceil(FULLNESS * limit);
  }

  /** The columns of one value in all rows of a partition. */
  private List<String> constants(HoodieTableMetaClient table) {
    List<String> fields = new ArrayList<>(FILLED_IN_BY_WRITER.keySet());
    fields.add(HoodieRecord.PARTITION_PATH_METADATA_FIELD);
    fields.addAll(
        TableColumns.constantFields(
            table.getTableConfig().getKeyGeneratorClassName(), partitionFields()));
    return fields;
  }

  private String partitionFields() {
    return config.getProps().getProperty(PARTITIONPATH_FIELD_NAME.key(), "");
  }

  /**
   * What tells rows apart: partition and record key, or where Hudi makes keys up, of the instant
   * among others, all columns of the row: the same rows give the same files.
   */
  private List<String> identity(StructType schema) {
    return KeyGenUtils.isAutoGeneratedRecordKeysEnabled(config.getProps())
        ? TableColumns.hashableColumns(schema)
        : List.of(
            HoodieRecord.PARTITION_PATH_METADATA_FIELD, HoodieRecord.RECORD_KEY_METADATA_FIELD);
  }

  /** The fields that record keys are made of; none where Hudi makes the keys up. */
  private List<String> keyFields() {
    return List.of(config.getProps().getProperty(RECORDKEY_FIELD_NAME.key(), "").split(","));
  }

  @Override
  public boolean arePartitionRecordsSorted() {
    return true;
  }
}
