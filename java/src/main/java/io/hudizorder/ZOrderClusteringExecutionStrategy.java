package io.hudizorder;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.clustering.run.strategy.MultipleSparkJobExecutionStrategy;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.config.HoodieStorageConfig;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.ClusteringOperation;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.io.CreateHandleFactory;
import org.apache.hudi.io.IOUtils;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.HoodieWriteMetadata;
import org.apache.hudi.table.action.commit.SparkBulkInsertHelper;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Executes a clustering plan by laying every group's rows out for data skipping; the class to name
 * in {@code hoodie.clustering.execution.strategy.class}.
 *
 * <p>Each group is read, sampled, fitted, shuffled and written by jobs of its own, {@code
 * hoodie.clustering.max.parallelism} groups at a time, and its rows are counted before Hudi
 * commits. Options that cannot be met are refused before a file is written, and the plan that Hudi
 * has put on the timeline by then is taken off again.
 */
public class ZOrderClusteringExecutionStrategy<T> extends MultipleSparkJobExecutionStrategy<T> {

  private static final long serialVersionUID = 1L;

  private transient ClusteringSetup setup;
  private transient GroupInputs inputs;
  private transient WrittenGroups written;
  private transient ClusteringReport report;
  private transient RunningGroups running;

  /** The groups under way by their first file group; Hudi's record path passes no group along. */
  private transient Map<HoodieFileGroupId, HoodieClusteringGroup> groups;

  public ZOrderClusteringExecutionStrategy(
      HoodieTable<?, ?, ?, ?> table,
      HoodieEngineContext engineContext,
      HoodieWriteConfig writeConfig) {
    super(table, engineContext, WholeTable.config(table.getMetaClient(), writeConfig));
  }

  @Override
  public HoodieWriteMetadata<HoodieData<WriteStatus>> performClustering(
      HoodieClusteringPlan plan, HoodieSchema schema, String instant) {
    Map<String, String> planParameters = plan.getStrategy().getStrategyParams();
    try {
      setup =
          ClusteringSetup.of(
              getHoodieTable().getMetaClient(),
              getWriteConfig(),
              planParameters == null ? Map.of() : planParameters);
    } catch (IllegalArgumentException e) {
      PendingPlan.remove(getHoodieTable().getMetaClient(), instant);
      throw new HoodieClusteringException(
          e.getMessage()
              + ". Nothing was written, and clustering plan "
              + instant
              + " was taken off the timeline.",
          e);
    }
    HoodieSparkEngineContext engine = (HoodieSparkEngineContext) getEngineContext();
    report = ClusteringReport.begin(instant);
    written = new WrittenGroups(engine, getWriteConfig(), setup, report, instant);
    groups = new ConcurrentHashMap<>();
    plan.getInputGroups()
        .forEach(group -> groups.put(slices(group).get(0).getFileGroupId(), group));
    inputs = inputs(setup.schema(), instant);
    running = new RunningGroups(engine.jsc().sc(), instant);
    try {
      return super.performClustering(plan, schema, instant);
    } catch (CompletionException e) {
      running.stop();
      throw e.getCause() instanceof RuntimeException ? (RuntimeException) e.getCause() : e;
    }
  }

  /** The row path: the default. */
  @Override
  protected CompletableFuture<HoodieData<WriteStatus>> runClusteringForGroupAsyncAsRow(
      HoodieClusteringGroup group,
      Map<String, String> strategyParams,
      boolean preserveMetadata,
      String instant,
      ExecutorService executor) {
    return CompletableFuture.supplyAsync(
        () -> running.run(() -> writeRows(group, preserveMetadata, instant)), executor);
  }

  private HoodieData<WriteStatus> writeRows(
      HoodieClusteringGroup group, boolean preserveMetadata, String instant) {
    PlannedInput input = open(group);
    input.readers().forEach(report::countReader);
    GroupLayout layout = fit(group, input);
    // The table's schema, not that of the rows: Spark reads each column of a file as nullable.
    RowFiles files =
        new RowFiles(
            getHoodieTable(),
            leafIsFile(group, input),
            layout.partitionPath(),
            setup.sparkSchema(),
            instant,
            preserveMetadata);
    // Adaptive execution shuffles now, and leaves sorting and writing to whoever asks.
    HoodieData<WriteStatus> statuses =
        report.time("read and shuffle", () -> files.write(layout.arrangeRows(input.rows())));
    return written.settle(layout, statuses, input::countedRows);
  }

  /** The record path, {@code hoodie.datasource.write.row.writer.enable=false}. */
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
    HoodieClusteringGroup group = groups.get(fileGroups.get(0));
    return running.run(() -> writeRecords(group, records, files, preserveMetadata, instant));
  }

  @SuppressWarnings("unchecked")
  private HoodieData<WriteStatus> writeRecords(
      HoodieClusteringGroup group,
      HoodieData<HoodieRecord<T>> records,
      int files,
      boolean preserveMetadata,
      String instant) {
    // Whatever reads the sample: the records are of Hudi's reader.
    report.countReader(MergingInput.READER);
    PlannedInput input = open(group);
    GroupLayout layout = fit(group, input);
    RecordArrangement<T> arrangement = new RecordArrangement<>(layout, setup.sparkSchema());
    HoodieData<WriteStatus> statuses =
        (HoodieData<WriteStatus>)
            SparkBulkInsertHelper.newInstance()
                .bulkInsert(
                    records,
                    instant,
                    getHoodieTable(),
                    leafIsFile(group, input),
                    false,
                    arrangement,
                    true,
                    files,
                    new CreateHandleFactory<>(preserveMetadata));
    return written.settle(layout, statuses, arrangement::countedRows);
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

  private PlannedInput open(HoodieClusteringGroup group) {
    return report.time("open", () -> inputs.open(slices(group)));
  }

  private GroupLayout fit(HoodieClusteringGroup group, PlannedInput input) {
    String partitionPath = group.getSlices().get(0).getPartitionPath();
    return GroupLayout.fit(setup, input, partitionPath, group.getNumOutputFileGroups(), report);
  }

  /**
   * Opens groups as of an instant; also for a preview and a validator, which execute nothing.
   *
   * @param schema the table's schema with meta columns
   */
  GroupInputs inputs(HoodieSchema schema, String instant) {
    HoodieSparkEngineContext engine = (HoodieSparkEngineContext) getEngineContext();
    long memory =
        IOUtils.getMaxMemoryPerCompaction(engine.getTaskContextSupplier(), getWriteConfig());
    return new GroupInputs(
        engine,
        getHoodieTable().getMetaClient(),
        getWriteConfig(),
        getReaderProperties(memory),
        schema,
        instant);
  }

  List<FileSlice> slices(HoodieClusteringGroup group) {
    String basePath = getWriteConfig().getBasePath();
    return group.getSlices().stream()
        .map(ClusteringOperation::create)
        .map(operation -> clusteringOperationToFileSlice(basePath, operation))
        .collect(Collectors.toList());
  }

  /** Leaves are as full as files should be: the writer cuts only what is far larger. */
  private HoodieWriteConfig leafIsFile(HoodieClusteringGroup group, PlannedInput input) {
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder()
            .withBulkInsertParallelism(group.getNumOutputFileGroups())
            .withProps(getWriteConfig().getProps())
            .build();
    long target = input.target(group.getNumOutputFileGroups());
    config.setValue(
        HoodieStorageConfig.PARQUET_MAX_FILE_SIZE,
        String.valueOf(FileLimit.of(config, setup.options(), setup.sparkSchema(), target)));
    // Needed to read older files; it knows less of timestamps than the schema that is written.
    config.setInternalSchemaString("");
    FileWriters.install(config, setup.options());
    return config;
  }
}
