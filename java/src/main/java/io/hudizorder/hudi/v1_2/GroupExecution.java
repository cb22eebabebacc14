package io.hudizorder.hudi.v1_2;

import io.hudizorder.hudi.GroupWriter;
import io.hudizorder.hudi.Instants;
import io.hudizorder.hudi.MergeProperties;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.clustering.run.strategy.MultipleSparkJobExecutionStrategy;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.engine.ReaderContextFactory;
import org.apache.hudi.common.model.ClusteringOperation;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.common.util.collection.ClosableIterator;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.HoodieWriteMetadata;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Hudi's jobs, with another who writes the groups. */
final class GroupExecution<T> extends MultipleSparkJobExecutionStrategy<T> {

  private static final long serialVersionUID = 1L;

  private final transient GroupWriter<T> groups;

  /** Up to when tasks that read records read logs; Hudi has them stop at the clustering. */
  private String latest;

  GroupExecution(
      HoodieTable<?, ?, ?, ?> table,
      HoodieEngineContext engine,
      HoodieWriteConfig config,
      GroupWriter<T> groups) {
    super(table, engine, config);
    this.groups = groups;
  }

  @Override
  public HoodieWriteMetadata<HoodieData<WriteStatus>> performClustering(
      HoodieClusteringPlan plan, HoodieSchema schema, String instant) {
    latest = Instants.readUpTo(getHoodieTable().getMetaClient(), instant);
    return super.performClustering(plan, schema, instant);
  }

  @Override
  protected ClosableIterator<HoodieRecord<T>> getRecordIterator(
      ReaderContextFactory<T> contexts,
      ClusteringOperation operation,
      String instant,
      long memory) {
    return super.getRecordIterator(contexts, operation, latest, memory);
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
