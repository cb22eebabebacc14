package io.hudizorder.hudi.v1_2;

import io.hudizorder.hudi.GroupWriter;
import io.hudizorder.hudi.MergeProperties;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.clustering.run.strategy.MultipleSparkJobExecutionStrategy;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.table.HoodieTable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Hudi's jobs, with another who writes the groups. */
final class GroupExecution<T> extends MultipleSparkJobExecutionStrategy<T> {

  private static final long serialVersionUID = 1L;

  private final transient GroupWriter<T> groups;

  GroupExecution(
      HoodieTable<?, ?, ?, ?> table,
      HoodieEngineContext engine,
      HoodieWriteConfig config,
      GroupWriter<T> groups) {
    super(table, engine, config);
    this.groups = groups;
  }

  @Override
  protected TypedProperties getReaderProperties(long memory) {
    TypedProperties properties =
        MergeProperties.of(getHoodieTable().getMetaClient(), getWriteConfig());
    properties.putAll(super.getReaderProperties(memory));
    return properties;
  }

  @Override
  protected CompletableFuture<HoodieData<WriteStatus>> runClusteringForGroupAsyncAsRow(
      HoodieClusteringGroup group,
      Map<String, String> strategyParams,
      boolean preserveMetadata,
      String instant,
      ExecutorService executor) {
    return CompletableFuture.supplyAsync(
        () -> groups.writeRows(group, preserveMetadata, instant), executor);
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
    return groups.writeRecords(fileGroups, records, files, preserveMetadata, instant);
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
    throw new UnsupportedOperationException("rows are laid out a group at a time");
  }
}
