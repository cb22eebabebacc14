package io.hudizorder.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.stream.Collectors;
import org.apache.hudi.HoodieDatasetBulkInsertHelper;
import org.apache.hudi.HoodieSchemaConversionUtils;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.clustering.run.strategy.MultipleSparkJobExecutionStrategy;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.config.HoodieStorageConfig;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.ClusteringOperation;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.common.schema.HoodieSchemaUtils;
import org.apache.hudi.common.table.TableSchemaResolver;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.table.HoodieTable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;

/**
 * The floor of clustering: base files read by Spark's vectorised reader and written again by Hudi's
 * bulk insert, in the order in which they were read; no sample, no shuffle, no sort.
 */
public class CopyExecutionStrategy<T> extends MultipleSparkJobExecutionStrategy<T> {

  private static final long serialVersionUID = 1L;

  /** More than any file, so that every read partition is written as one file. */
  private static final String NO_FILE_SIZE_LIMIT = String.valueOf(1L << 60);

  public CopyExecutionStrategy(
      HoodieTable<?, ?, ?, ?> table,
      HoodieEngineContext engineContext,
      HoodieWriteConfig writeConfig) {
    super(table, engineContext, writeConfig);
  }

  @Override
  protected CompletableFuture<HoodieData<WriteStatus>> runClusteringForGroupAsyncAsRow(
      HoodieClusteringGroup group,
      Map<String, String> strategyParams,
      boolean preserveMetadata,
      String instant,
      ExecutorService executor) {
    return CompletableFuture.supplyAsync(
        () ->
            HoodieDatasetBulkInsertHelper.bulkInsert(
                read(group), instant, getHoodieTable(), unlimited(), true, preserveMetadata),
        executor);
  }

  /** Reads each base file as one partition, which is written as one file: tasks of equal size. */
  private Dataset<Row> read(HoodieClusteringGroup group) {
    List<StoragePath> files =
        group.getSlices().stream()
            .map(ClusteringOperation::create)
            .map(slice -> clusteringOperationToFileSlice(getWriteConfig().getBasePath(), slice))
            .map(slice -> slice.getBaseFile().get().getStoragePath())
            .collect(Collectors.toList());
    SparkSession spark =
        ((HoodieSparkEngineContext) getEngineContext()).getSqlContext().sparkSession().newSession();
    spark.conf().set("spark.sql.files.openCostInBytes", 0);
    spark.conf().set("spark.sql.files.minPartitionNum", 1);
    spark
        .conf()
        .set(
            "spark.sql.files.maxPartitionBytes",
            files.stream().mapToLong(this::size).max().orElse(1));
    return spark
        .read()
        .schema(tableSchema())
        .parquet(files.stream().map(StoragePath::toString).toArray(String[]::new));
  }

  private long size(StoragePath file) {
    try {
      return getHoodieTable().getStorage().getPathInfo(file).getLength();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot copy: '" + file + "' has no size", e);
    }
  }

  private StructType tableSchema() {
    try {
      HoodieSchema schema =
          new TableSchemaResolver(getHoodieTable().getMetaClient()).getTableSchema(false);
      return HoodieSchemaConversionUtils.convertHoodieSchemaToStructType(
          HoodieSchemaUtils.addMetadataFields(schema, false));
    } catch (Exception e) {
      throw new HoodieClusteringException("Cannot copy: the table's schema cannot be read", e);
    }
  }

  private HoodieWriteConfig unlimited() {
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder().withProps(getWriteConfig().getProps()).build();
    config.setValue(HoodieStorageConfig.PARQUET_MAX_FILE_SIZE, NO_FILE_SIZE_LIMIT);
    return config;
  }

  /** Never called: {@link #runClusteringForGroupAsyncAsRow} is replaced as a whole. */
  @Override
  public HoodieData<WriteStatus> performClusteringWithRecordsAsRow(
      Dataset<Row> rows,
      int files,
      String instant,
      Map<String, String> strategyParams,
      HoodieSchema schema,
      List<HoodieFileGroupId> fileGroups,
      boolean preserveMetadata,
      Map<String, String> extraMetadata) {
    throw new UnsupportedOperationException("rows are copied a group at a time");
  }

  @Override
  public HoodieData<WriteStatus> performClusteringWithRecordsRDD(
      HoodieData<HoodieRecord<T>> records,
      int files,
      String instant,
      Map<String, String> strategyParams,
      HoodieSchema schema,
      List<HoodieFileGroupId> fileGroups,
      boolean preserveMetadata,
      Map<String, String> extraMetadata) {
    throw new UnsupportedOperationException("only rows are copied, not records");
  }
}
