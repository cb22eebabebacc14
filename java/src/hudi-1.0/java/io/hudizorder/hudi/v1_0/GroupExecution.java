package io.hudizorder.hudi.v1_0;

import io.hudizorder.hudi.GroupWriter;
import io.hudizorder.hudi.Instants;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.clustering.run.strategy.MultipleSparkJobExecutionStrategy;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.ClusteringOperation;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.ClosableIterator;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.io.storage.HoodieFileReader;
import org.apache.hudi.keygen.BaseKeyGenerator;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.HoodieWriteMetadata;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.HoodieDataTypeUtils;
import org.apache.spark.sql.Row;

/** Hudi's jobs, with another who writes the groups. */
final class GroupExecution<T> extends MultipleSparkJobExecutionStrategy<T> {

  private static final long serialVersionUID = 1L;

  private final transient GroupWriter<T> writer;

  /** By their first file group; Hudi passes no group along. */
  private transient Map<HoodieFileGroupId, HoodieClusteringGroup> groups;

  /** Up to when tasks that read records read logs; Hudi has them stop at the clustering. */
  private String latest;

  GroupExecution(
      HoodieTable<?, ?, ?, ?> table,
      HoodieEngineContext engine,
      HoodieWriteConfig config,
      GroupWriter<T> writer) {
    super(table, engine, config);
    this.writer = writer;
  }

  /**
   * Refuses what Hudi would read records of Avro for.
   *
   * @throws IllegalArgumentException with why it would
   */
  static void requireRows(HoodieTableMetaClient table, HoodieWriteConfig config, Schema schema) {
    boolean rows =
        config.getBooleanOrDefault("hoodie.datasource.write.row.writer.enable", true)
            && HoodieDataTypeUtils.canUseRowWriter(
                schema, table.getStorageConf().unwrapAs(Configuration.class));
    if (!rows && config.getRecordMerger().getRecordType() != HoodieRecordType.SPARK) {
      throw new IllegalArgumentException(
          "Cannot cluster: Hudi 1.0 would read records of Avro, of which no layout is made: by"
              + " 'hoodie.datasource.write.row.writer.enable', or as 'parquet.avro.write-old-list-"
              + "structure' is 'false' and the table has decimals beside lists or maps; set both to"
              + " 'true', or cluster by Hudi 1.1");
    }
  }

  @Override
  public HoodieWriteMetadata<HoodieData<WriteStatus>> performClustering(
      HoodieClusteringPlan plan, Schema schema, String instant) {
    groups =
        plan.getInputGroups().stream()
            .collect(Collectors.toMap(GroupExecution::firstFileGroup, Function.identity()));
    latest = Instants.readUpTo(getHoodieTable().getMetaClient(), instant);
    return super.performClustering(plan, schema, instant);
  }

  @Override
  @SuppressWarnings("rawtypes") // as Hudi has it
  protected ClosableIterator<HoodieRecord<T>> getRecordIteratorWithLogFiles(
      ClusteringOperation operation,
      String instant,
      long memory,
      Option<BaseKeyGenerator> keys,
      Option<HoodieFileReader> base) {
    return super.getRecordIteratorWithLogFiles(operation, latest, memory, keys, base);
  }

  private static HoodieFileGroupId firstFileGroup(HoodieClusteringGroup group) {
    HoodieSliceInfo first = group.getSlices().get(0);
    return new HoodieFileGroupId(first.getPartitionPath(), first.getFileId());
  }

  /**
   * The row path.
   *
   * @param rows as Hudi would read them, had anybody asked for them
   */
  @Override
  public HoodieData<WriteStatus> performClusteringWithRecordsAsRow(
      Dataset<Row> rows,
      int files,
      String instant,
      Map<String, String> strategyParams,
      Schema schema,
      List<HoodieFileGroupId> fileGroups,
      boolean preserveMetadata,
      Map<String, String> extraMetadata) {
    return writer.writeRows(groups.get(fileGroups.get(0)), preserveMetadata, instant);
  }

  @Override
  public HoodieData<WriteStatus> performClusteringWithRecordsRDD(
      HoodieData<HoodieRecord<T>> records,
      int files,
      String instant,
      Map<String, String> strategyParams,
      Schema schema,
      List<HoodieFileGroupId> fileGroups,
      boolean preserveMetadata,
      Map<String, String> extraMetadata) {
    return writer.writeRecords(fileGroups, records, files, preserveMetadata, instant);
  }
}
