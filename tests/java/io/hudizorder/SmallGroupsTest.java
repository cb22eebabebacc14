package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.option.OwnOptions;
import io.hudizorder.plan.GroupLayout;
import io.hudizorder.read.GroupInputs;
import io.hudizorder.read.TaskInput;
import io.hudizorder.write.RowFiles;
import io.hudizorder.write.SmallGroups;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.bloom.BloomFilter;
import org.apache.hudi.common.config.HoodieConfig;
import org.apache.hudi.common.config.HoodieMetadataConfig;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.io.storage.row.HoodieRowParquetWriteSupport;
import org.apache.hudi.table.HoodieSparkTable;
import org.apache.hudi.table.HoodieTable;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups that one job lays out, a few to a task: as few jobs as one of them, no less certain. */
@Timeout(300)
class SmallGroupsTest extends HudiTables {

  private static final String WRITER = "hoodie.parquet.spark.row.write.support.class";

  private static final String SPILLING = "spark.shuffle.spill.numElementsForceSpillThreshold";

  /** Of two cores. */
  private static final int TASKS = 8;

  /** The table that tasks look at, which cannot be sent to them. */
  private static HudiTable watched;

  private final AtomicInteger mostTasks = new AtomicInteger();

  @Test
  void moreOfThemMakeNoMoreJobs() throws Exception {
    assertThat(jobs(9)).isEqualTo(jobs(3));
  }

  @Test
  @Tag("slow")
  void norDoMoreOfThemWithLogsWhoseRowsTheyAllHave() throws Exception {
    assertThat(jobs(logged(6))).isEqualTo(jobs(logged(9)));
  }

  @Test
  void oneOfWhichNoRowIsLeftHasNoFile() {
    HudiTable table = logged(3).with(OwnOptions.VERIFY.key(), "content");
    table.write(table.read().where("p = 1"), "delete");
    List<Row> before = rows(table);

    String instant = table.schedule("a");
    table.execute(instant, Map.of());

    assertThat(table.filesOf(instant)).hasSize(2);
    assertThat(rows(table)).isEqualTo(before);
    ClusteringReport report = ClusteringReport.of(table.path.toString(), instant);
    assertThat(report.readers()).containsExactly(entry("merging", 3), entry("vectorised", 2));
    assertThat(report.seconds()).doesNotContainKey("sort and write");
  }

  /** Of which each partition has two base files, and updates and deletes of one of them. */
  private HudiTable logged(int partitions) {
    HudiTable table =
        tableIn(folder.resolve("logged" + partitions))
            .with("hoodie.datasource.write.table.type", "MERGE_ON_READ");
    table.write(numbers(600, partitions, "hash(id)"), "bulk_insert");
    table.write(numbers(300, partitions, "id"), "upsert");
    return table.write(numbers(30, partitions, "0"), "delete");
  }

  @Test
  void theHeavierColumnOrdersTheRowsOfItsFile() {
    HudiTable table = table(2_000, 1).with(OwnOptions.PAGE_ROW_LIMIT.key(), "100");

    table.execute(table.schedule("a,id"), Map.of());
    assertThat(ids(table)).isNotEqualTo(inOrder(2_000));

    table.with(OwnOptions.COLUMN_WEIGHTS.key(), "id=1000").with(OwnOptions.MODE.key(), "full");
    table.execute(table.schedule("a,id"), Map.of());
    assertThat(ids(table)).isEqualTo(inOrder(2_000));
  }

  @Test
  void rowsThatWaitOnDiskLieAsOthersDo() {
    HudiTable table = table(2_000, 1);
    table.execute(table.schedule("a,id"), Map.of());
    List<Long> inMemory = ids(table);
    SparkConf conf = SparkEnv.get().conf().set(SPILLING, "100");
    try {
      table.with(OwnOptions.MODE.key(), "full");
      table.execute(table.schedule("a,id"), Map.of());
    } finally {
      conf.remove(SPILLING);
    }
    assertThat(ids(table)).isEqualTo(inMemory);
  }

  private static List<Long> ids(HudiTable table) {
    return table.read().select("id").as(Encoders.LONG()).collectAsList();
  }

  private static List<Long> inOrder(long rows) {
    return LongStream.range(0, rows).boxed().collect(Collectors.toList());
  }

  @Tag("slow")
  @Test
  void moreOfThemThanSomeMakeNoMoreTasks() throws Exception {
    jobs(24);
    assertThat(mostTasks).hasValue(TASKS);
  }

  private int jobs(int partitions) throws Exception {
    return jobs(table(600, partitions, "t" + partitions));
  }

  private int jobs(HudiTable table) throws Exception {
    String instant = table.schedule("a");
    List<Row> before = rows(table);
    AtomicInteger jobs = new AtomicInteger();
    SparkListener counter =
        new SparkListener() {
          @Override
          public void onJobStart(SparkListenerJobStart start) {
            jobs.incrementAndGet();
          }

          @Override
          public void onStageSubmitted(SparkListenerStageSubmitted stage) {
            mostTasks.accumulateAndGet(stage.stageInfo().numTasks(), Math::max);
          }
        };
    listen(counter, () -> table.execute(instant, Map.of()));
    assertThat(table.filesOf(instant)).hasSize((int) table.read().select("p").distinct().count());
    assertThat(rows(table)).isEqualTo(before);
    return jobs.get();
  }

  private static List<Row> rows(HudiTable table) {
    return table.read().drop("_hoodie_file_name").sort("id").collectAsList();
  }

  @Test
  void aGroupWhoseContentChangesIsNamedAndNothingIsCommitted() {
    HudiTable table = table(600, 3).with(OwnOptions.VERIFY.key(), "content");
    String instant = table.schedule("a");
    Map<String, String> settings = Map.of(WRITER, TwiceTheFirstRow.class.getName());

    assertThatThrownBy(() -> table.execute(instant, settings))
        .hasMessageContaining("Cannot commit clustering " + instant)
        .hasMessageContaining("in a group of partition '1' read 200 rows")
        .hasMessageContaining("and wrote 200 rows");

    assertThat(table.timeline()).noneMatch(name -> name.startsWith(instant + "_"));
    table.execute(instant, Map.of());
    assertThat(table.read().select("id").distinct().count()).isEqualTo(600);
  }

  @Test
  void aGroupThatFailsNamesItselfAndItsTaskLeavesNoFiles() {
    HudiTable table = table(600, 24);
    String instant = table.schedule("a");
    Map<String, String> settings = Map.of(WRITER, NoSecondFile.class.getName());

    assertThatThrownBy(() -> table.execute(instant, settings))
        .hasStackTraceContaining(
            "Cannot cluster the files of partition '" + NoSecondFile.partition + "': ");

    assertThat(NoSecondFile.ended.get()).isGreaterThanOrEqualTo(2);
    assertThat(table.filesOf(instant))
        .isNotEmpty()
        .noneMatch(name -> name.contains("_" + NoSecondFile.TASK + "-"));
  }

  @Test
  void aTaskWritesAGroupNoSoonerThanItsStatusesAreAskedFor() {
    watched = table(600, 24);
    String instant = watched.schedule("a");
    List<Integer> files;
    try (SparkRDDWriteClient<?> client = watched.client(Map.of())) {
      SmallGroups groups = smallGroups(client, instant);
      files = groups.write().mapPartitions(statuses -> files(instant, statuses)).collect();
    }

    assertThat(files).hasSize(TASKS * 4).startsWith(0, 1, 2, 3);
  }

  @Tag("slow")
  @Test
  void aTaskThatFailsWhileItsStatusesAreKeptLeavesNoFiles() {
    HudiTable table = table(600, 24);
    String instant = table.schedule("a");
    requireFailure(table, instant, SmallGroupsTest::failAtTheThird, "no room for the third");

    assertThat(table.filesOf(instant)).isEmpty();
  }

  /**
   * Spark may have kept its statuses by then, which another attempt is given in place of its own.
   */
  @Tag("slow")
  @Test
  void aTaskThatFailsOnceItHasGivenAllItsStatusesLeavesTheFilesThatTheyName() {
    HudiTable table = table(600, 24);
    String instant = table.schedule("a");
    requireFailure(table, instant, SmallGroupsTest::failAtTheEnd, "no room for the statuses");

    assertThat(table.filesOf(instant)).isNotEmpty();
  }

  private static void failAtTheEnd(Iterator<List<WriteStatus>> statuses) {
    while (statuses.hasNext()) {
      statuses.next();
    }
    throw new IllegalStateException("no room for the statuses");
  }

  /** Writes groups in tasks that fail. */
  private static void requireFailure(
      HudiTable table,
      String instant,
      VoidFunction<Iterator<List<WriteStatus>>> failing,
      String why) {
    try (SparkRDDWriteClient<?> client = table.client(Map.of())) {
      SmallGroups groups = smallGroups(client, instant);
      assertThatThrownBy(() -> groups.write().foreachPartition(failing))
          .hasStackTraceContaining(why);
    }
  }

  private static void failAtTheThird(Iterator<List<WriteStatus>> statuses) {
    statuses.next();
    statuses.next();
    throw new IllegalStateException("no room for the third");
  }

  /** How many files a task has written before it is asked for any, and after each time. */
  private static Iterator<Integer> files(String instant, Iterator<List<WriteStatus>> statuses) {
    List<Integer> counts = new ArrayList<>(List.of(files(instant)));
    while (statuses.hasNext()) {
      statuses.next();
      counts.add(files(instant));
    }
    return counts.iterator();
  }

  private static int files(String instant) {
    String task = "_" + TaskContext.getPartitionId() + "-";
    return (int) watched.filesOf(instant).stream().filter(name -> name.contains(task)).count();
  }

  /** Those of a plan, as its strategy makes them. */
  private static SmallGroups smallGroups(SparkRDDWriteClient<?> client, String instant) {
    HoodieWriteConfig config = client.getConfig();
    HoodieSparkEngineContext engine = (HoodieSparkEngineContext) client.getEngineContext();
    HoodieTable<?, ?, ?, ?> table = HoodieSparkTable.create(config, engine);
    HoodieClusteringPlan plan =
        ClusteringUtils.getAllPendingClusteringPlans(table.getMetaClient())
            .findFirst()
            .get()
            .getRight();
    ClusteringSetup setup =
        ClusteringSetup.of(table.getMetaClient(), config, plan.getStrategy().getStrategyParams());
    ZOrderClusteringExecutionStrategy<?> strategy =
        new ZOrderClusteringExecutionStrategy<>(table, engine, config);
    GroupInputs inputs = strategy.inputs(setup.columns().schema(), instant);
    LayoutSpec layout = setup.options().layout();
    SmallGroups groups =
        new SmallGroups(
            engine,
            inputs,
            setup.clustering(layout),
            setup.columns(),
            new RowFiles(
                table,
                FileWriters.config(config, setup.options()),
                setup.columns().sparkSchema(),
                instant,
                true));
    for (HoodieClusteringGroup group : plan.getInputGroups()) {
      GroupLayout own = GroupLayout.of(group, layout, config.getClusteringTargetFileMaxBytes());
      TaskInput input = inputs.openInTasks(List.of(strategy.slices(group))).get(0).orElseThrow();
      groups.add(
          input,
          own.of(layout),
          new RowFiles.OfGroup(
              group.getSlices().get(0).getPartitionPath(),
              Long.MAX_VALUE,
              own.run(group, instant)));
    }
    return groups;
  }

  /** Fails where one of the tasks ends its second file. */
  public static final class NoSecondFile extends HoodieRowParquetWriteSupport {
    static final int TASK = TASKS - 1;
    static final AtomicInteger ended = new AtomicInteger();
    static String partition;

    /** Called by Hudi, by name. */
    public NoSecondFile(
        Configuration conf, StructType schema, Option<BloomFilter> filter, HoodieConfig config) {
      super(conf, schema, filter, config);
    }

    @Override
    public void write(InternalRow row) {
      if (TaskContext.getPartitionId() == TASK) {
        partition = row.getUTF8String(3).toString();
      }
      super.write(row);
    }

    @Override
    public FinalizedWriteContext finalizeWrite() {
      if (TaskContext.getPartitionId() == TASK && ended.incrementAndGet() == 2) {
        throw new IllegalStateException("no second file");
      }
      return super.finalizeWrite();
    }
  }

  @Test
  @Tag("slow")
  void itsCommitBeginsFewTasksForStatisticsUnlessSomebodyHasChosen() {
    HudiTable table = table(60, 2);
    String chosen = "hoodie.metadata.index.column.stats.parallelism";
    String first = table.schedule("a");
    try (SparkRDDWriteClient<?> client = table.client(Map.of(chosen, "7"))) {
      client.cluster(first, true);
      HoodieMetadataConfig used = client.getConfig().getMetadataConfig();
      assertThat(used.getPartitionStatsIndexParallelism()).isEqualTo(4);
      assertThat(used.getColumnStatsIndexParallelism()).isEqualTo(7);
    }
  }

  /** Writes, in partition 1, the first row again in place of the second. */
  public static final class TwiceTheFirstRow extends HoodieRowParquetWriteSupport {
    private InternalRow first;
    private int rows;

    /** Called by Hudi, by name. */
    public TwiceTheFirstRow(
        Configuration conf, StructType schema, Option<BloomFilter> filter, HoodieConfig config) {
      super(conf, schema, filter, config);
    }

    @Override
    public void write(InternalRow row) {
      if (first == null && row.getUTF8String(3).toString().equals("1")) {
        first = row.copy();
      }
      super.write(++rows == 2 && first != null ? first : row);
    }
  }
}
