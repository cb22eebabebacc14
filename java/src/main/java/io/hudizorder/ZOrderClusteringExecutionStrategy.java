package io.hudizorder;

import io.hudizorder.concurrency.ClusteringAttempt;
import io.hudizorder.hudi.GroupWriter;
import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.hudi.ObjectSizes;
import io.hudizorder.parquet.FileLimit;
import io.hudizorder.plan.GroupParts;
import io.hudizorder.plan.PendingPlan;
import io.hudizorder.plan.PlannedPaths;
import io.hudizorder.plan.slice.PlannedSlice;
import io.hudizorder.read.GroupInputs;
import io.hudizorder.read.MergingInput;
import io.hudizorder.read.PlannedInput;
import io.hudizorder.read.TaskInput;
import io.hudizorder.table.SchemaHistory;
import io.hudizorder.table.StatisticsTasks;
import io.hudizorder.table.SuitableTable;
import io.hudizorder.table.TableSchema;
import io.hudizorder.write.FittedGroup;
import io.hudizorder.write.RecordArrangement;
import io.hudizorder.write.RowFiles;
import io.hudizorder.write.RunningGroups;
import io.hudizorder.write.SmallGroups;
import io.hudizorder.write.VerifiedWrites;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieKey;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.io.CreateHandleFactory;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.HoodieWriteMetadata;
import org.apache.hudi.table.action.cluster.strategy.ClusteringExecutionStrategy;
import org.apache.hudi.table.action.commit.SparkBulkInsertHelper;
import org.apache.spark.sql.types.StructType;

/**
 * Executes a clustering plan by laying every group's rows out for data skipping; the class to name
 * in {@code hoodie.clustering.execution.strategy.class}.
 *
 * <p>Groups that divide a partition are laid out as one. Groups of one file each share a job, a few
 * to a task. Each other one is read, sampled, fitted, shuffled and written by jobs of its own,
 * {@code hoodie.clustering.max.parallelism} groups at a time. The rows of all are counted before
 * Hudi commits. Options that cannot be met are refused before a file is written. A plan that nobody
 * can execute is then taken off the timeline; it stays where the executing process is at fault.
 */
public class ZOrderClusteringExecutionStrategy<T>
    extends ClusteringExecutionStrategy<
        T, HoodieData<HoodieRecord<T>>, HoodieData<HoodieKey>, HoodieData<WriteStatus>>
    implements GroupWriter<T> {

  private static final long serialVersionUID = 1L;

  private transient ClusteringSetup setup;
  private transient GroupInputs inputs;
  private transient GroupFitting fitting;
  private transient VerifiedWrites written;
  private transient ClusteringReport report;
  private transient RunningGroups running;

  /** One for all groups, with every setting of the user and of Hudi. */
  private transient HoodieWriteConfig writing;

  /** The groups under way by their first file group; Hudi's record path passes no group along. */
  private transient Map<HoodieFileGroupId, HoodieClusteringGroup> groups;

  public ZOrderClusteringExecutionStrategy(
      HoodieTable<?, ?, ?, ?> table,
      HoodieEngineContext engineContext,
      HoodieWriteConfig writeConfig) {
    super(table, engineContext, TableSchema.config(table.getMetaClient(), writeConfig));
  }

  @Override
  public HoodieWriteMetadata<HoodieData<WriteStatus>> performClustering(
      HoodieClusteringPlan plan, HoodieSchema schema, String instant) {
    return performClustering(plan, schema.toAvroSchema(), instant);
  }

  /** What Hudi before 1.2 calls, to which the schema of the other is a class that is not there. */
  public HoodieWriteMetadata<HoodieData<WriteStatus>> performClustering(
      HoodieClusteringPlan stored, Schema schema, String instant) {
    HoodieClusteringPlan plan = PlannedPaths.within(getWriteConfig().getBasePath(), stored);
    plan.setInputGroups(GroupParts.joined(plan));
    setup = setup(plan, instant);
    ObjectSizes.reckon();
    HoodieSparkEngineContext engine = (HoodieSparkEngineContext) getEngineContext();
    StatisticsTasks.limit(getHoodieTable().getConfig(), engine.jsc());
    ClusteringAttempt attempt =
        new ClusteringAttempt(
            engine,
            getHoodieTable(),
            getWriteConfig(),
            plan,
            instant,
            setup.options().waitForWriters());
    report =
        ClusteringReport.begin(
            getWriteConfig().getBasePath(),
            instant,
            TableLock.isOfThisProcess(
                getWriteConfig(), getHoodieTable().getMetaClient().getStorageConf()));
    try {
      attempt.begin();
      HoodieWriteMetadata<HoodieData<WriteStatus>> result = execute(plan, schema, instant);
      report.time("wait for writers", attempt::beforeCommit);
      return result;
    } catch (Exception | Error e) {
      // Spark throws exceptions that it does not declare.
      attempt.fail(e);
      throw e;
    } finally {
      report.end();
    }
  }

  private HoodieWriteMetadata<HoodieData<WriteStatus>> execute(
      HoodieClusteringPlan plan, Schema schema, String instant) {
    HoodieSparkEngineContext engine = (HoodieSparkEngineContext) getEngineContext();
    groups = new ConcurrentHashMap<>();
    plan.getInputGroups().forEach(group -> groups.put(first(group), group));
    inputs = inputs(setup.columns().schema(), instant);
    writing = FileWriters.config(getWriteConfig(), setup.options());
    written =
        new VerifiedWrites(
            engine, getHoodieTable(), inputs, setup.options().verify(), report, instant);
    running = new RunningGroups(engine.jsc().sc(), instant);
    fitting = new GroupFitting(setup, getWriteConfig());
    report.time(
        "open",
        () ->
            inputs.requireWholeLogs(
                PlannedSlice.ofPlan(getWriteConfig().getBasePath(), plan)
                    .collect(Collectors.toList())));
    try {
      List<HoodieClusteringGroup> others = new ArrayList<>();
      SmallGroups small = running.run(() -> smallGroups(plan, others, instant));
      HoodieData<WriteStatus> statuses = running.run(() -> written.settle(small));
      report.written();
      if (!others.isEmpty()) {
        HoodieClusteringPlan rest = HoodieClusteringPlan.newBuilder(plan).build();
        rest.setInputGroups(others);
        statuses =
            statuses.union(
                HudiCalls.here()
                    .cluster(
                        getHoodieTable(), engine, getWriteConfig(), this, rest, schema, instant)
                    .getWriteStatuses());
      }
      fitting.addWhole(plan.getInputGroups(), report.ofQueries());
      HoodieWriteMetadata<HoodieData<WriteStatus>> metadata = new HoodieWriteMetadata<>();
      metadata.setWriteStatuses(HudiCalls.here().committable(written.statuses(statuses)));
      return metadata;
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException ? (RuntimeException) e.getCause() : e;
    } finally {
      // After a success as well: a task that another attempt has overtaken may still be writing.
      running.stop();
    }
  }

  private ClusteringSetup setup(HoodieClusteringPlan plan, String instant) {
    HoodieTableMetaClient table = getHoodieTable().getMetaClient();
    SchemaHistory history = SchemaHistory.of(table, getWriteConfig());
    Map<String, String> parameters = plan.getStrategy().getStrategyParams();
    try {
      ClusteringSetup found =
          ClusteringSetup.ofExecution(
              table, getWriteConfig(), parameters == null ? Map.of() : parameters);
      SuitableTable.require(plan);
      ClusteringSetup.requireReadable(getWriteConfig(), history, plan);
      return found;
    } catch (IllegalArgumentException e) {
      // What its author meant for another class, that class may well be able to do.
      boolean ours = getClass().getName().equals(plan.getStrategy().getStrategyClassName());
      String outcome;
      if (ours
          && (history.changedSince(instant).isPresent()
              || ClusteringSetup.isPlansFault(table, getWriteConfig(), plan))) {
        PendingPlan.remove(table, getWriteConfig(), instant);
        outcome = "was taken off the timeline";
      } else {
        PendingPlan.release(table, getWriteConfig(), instant);
        outcome = "stays pending for whoever can execute it";
      }
      throw new HoodieClusteringException(
          String.format(
              "%s. Nothing was written, and clustering plan %s %s.",
              e.getMessage(), instant, outcome),
          e);
    }
  }

  /** Takes the groups that a task each can lay out; all others cost jobs each, however small. */
  private SmallGroups smallGroups(
      HoodieClusteringPlan plan, List<HoodieClusteringGroup> others, String instant) {
    SmallGroups small =
        new SmallGroups(
            (HoodieSparkEngineContext) getEngineContext(),
            inputs,
            setup.clustering(setup.options().layout()),
            setup.columns(),
            rowFiles(!Boolean.FALSE.equals(plan.getPreserveHoodieMetadata()), instant));
    List<HoodieClusteringGroup> candidates = new ArrayList<>();
    for (HoodieClusteringGroup group : plan.getInputGroups()) {
      boolean rows = ClusteringSetup.writesRows(getWriteConfig());
      (rows && group.getNumOutputFileGroups() <= 1 ? candidates : others).add(group);
    }
    List<Optional<TaskInput>> found =
        report.time(
            "open",
            () ->
                inputs.openInTasks(
                    candidates.stream().map(this::slices).collect(Collectors.toList())));
    for (int g = 0; g < candidates.size(); g++) {
      HoodieClusteringGroup group = candidates.get(g);
      Optional<TaskInput> input = found.get(g).filter(small::fits);
      if (input.isPresent()) {
        input.get().readers().forEach(report::countReader);
        small.add(
            input.get(),
            fitting.layout(group).of(setup.options().layout()),
            files(group, input.get().target(), instant));
      } else {
        others.add(group);
      }
    }
    return small;
  }

  @Override
  public HoodieData<WriteStatus> writeRows(
      HoodieClusteringGroup group, boolean preserveMetadata, String instant) {
    return running.run(() -> layOutRows(group, preserveMetadata, instant));
  }

  private HoodieData<WriteStatus> layOutRows(
      HoodieClusteringGroup group, boolean preserveMetadata, String instant) {
    PlannedInput input = open(group);
    input.readers().forEach(report::countReader);
    try (FittedGroup fitted = fit(group, input)) {
      RowFiles files = rowFiles(preserveMetadata, instant);
      // Adaptive execution shuffles now, and leaves sorting and writing to whoever asks.
      HoodieData<WriteStatus> statuses =
          report.time(
              "read and shuffle",
              () ->
                  files.write(
                      fitted.arrangeRows(input.rows()),
                      files(group, input.target(group.getNumOutputFileGroups()), instant)));
      return settled(fitted, statuses, input::countedRows);
    }
  }

  private RowFiles rowFiles(boolean preserveMetadata, String instant) {
    // The table's schema, not that of the rows: Spark reads each column of a file as nullable.
    StructType schema = setup.columns().sparkSchema();
    return new RowFiles(getHoodieTable(), writing, schema, instant, preserveMetadata);
  }

  private RowFiles.OfGroup files(HoodieClusteringGroup group, long target, String instant) {
    // When a file that turns out far larger than it should be goes on in another.
    long mostBytes =
        FileLimit.of(
            writing, setup.options().pageRowLimit(), setup.columns().sparkSchema(), target);
    return new RowFiles.OfGroup(
        GroupParts.partition(group), mostBytes, fitting.layout(group).run(group, instant));
  }

  @Override
  public HoodieData<WriteStatus> writeRecords(
      List<HoodieFileGroupId> fileGroups,
      HoodieData<HoodieRecord<T>> records,
      int files,
      boolean preserveMetadata,
      String instant) {
    HoodieClusteringGroup group = groups.get(fileGroups.get(0));
    return running.run(() -> layOutRecords(group, records, files, preserveMetadata, instant));
  }

  @SuppressWarnings("unchecked")
  private HoodieData<WriteStatus> layOutRecords(
      HoodieClusteringGroup group,
      HoodieData<HoodieRecord<T>> records,
      int files,
      boolean preserveMetadata,
      String instant) {
    // Whatever reads the sample: the records are of Hudi's reader.
    report.countReader(MergingInput.READER);
    PlannedInput input = open(group);
    try (FittedGroup fitted = fit(group, input)) {
      RecordArrangement<T> arrangement =
          new RecordArrangement<>(
              fitted, setup.columns().sparkSchema(), fitting.layout(group).run(group, instant));
      HoodieData<WriteStatus> statuses =
          (HoodieData<WriteStatus>)
              SparkBulkInsertHelper.newInstance()
                  .bulkInsert(
                      records,
                      instant,
                      getHoodieTable(),
                      limited(input.target(group.getNumOutputFileGroups())),
                      false,
                      arrangement,
                      true,
                      files,
                      new CreateHandleFactory<>(preserveMetadata));
      return settled(fitted, statuses, arrangement::countedRows);
    }
  }

  private HoodieData<WriteStatus> settled(
      FittedGroup fitted, HoodieData<WriteStatus> statuses, LongSupplier rowsRead) {
    HoodieData<WriteStatus> settled = written.settle(fitted, statuses, rowsRead);
    report.written();
    return settled;
  }

  private PlannedInput open(HoodieClusteringGroup group) {
    return report.time("open", () -> inputs.open(slices(group)));
  }

  private FittedGroup fit(HoodieClusteringGroup group, PlannedInput input) {
    return report.time("sample and fit", () -> fitting.fit(group, input, report.ofQueries(), 1));
  }

  /**
   * What queries would read, were groups of a plan executed: they are sampled and fitted as they
   * are then, and nothing is written.
   *
   * @param groups of the plan
   * @param parameters what the plan would store
   */
  List<String> forecast(ForetoldGroups groups, String instant, Map<String, String> parameters) {
    HoodieTableMetaClient table = getHoodieTable().getMetaClient();
    setup = ClusteringSetup.ofExecution(table, getWriteConfig(), parameters);
    inputs = inputs(setup.columns().schema(), instant);
    fitting = new GroupFitting(setup, getWriteConfig());
    QueryForecast forecast = new QueryForecast();
    for (HoodieClusteringGroup group : groups.sampled()) {
      fitting.fit(group, inputs.open(slices(group)), forecast, groups.eachStandsFor()).close();
    }
    fitting.addWhole(groups.whole(), forecast);
    return forecast.describe();
  }

  /**
   * Opens groups as of an instant; also for a preview, which executes nothing.
   *
   * @param schema the table's schema with meta columns
   */
  GroupInputs inputs(Schema schema, String instant) {
    return new GroupInputs(
        (HoodieSparkEngineContext) getEngineContext(),
        getHoodieTable().getMetaClient(),
        getWriteConfig(),
        schema,
        instant);
  }

  /** The file group that Hudi names first where it has a group clustered. */
  private static HoodieFileGroupId first(HoodieClusteringGroup group) {
    HoodieSliceInfo slice = group.getSlices().get(0);
    return new HoodieFileGroupId(slice.getPartitionPath(), slice.getFileId());
  }

  List<FileSlice> slices(HoodieClusteringGroup group) {
    return PlannedSlice.ofGroup(getWriteConfig().getBasePath(), group).collect(Collectors.toList());
  }

  private HoodieWriteConfig limited(long target) {
    return FileWriters.limited(
        writing,
        FileLimit.ofHudi(
            writing, setup.options().pageRowLimit(), setup.columns().sparkSchema(), target));
  }
}
