package io.hudizorder.write;

import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.read.GroupInputs;
import io.hudizorder.read.RowCounts;
import io.hudizorder.read.SessionSettings;
import io.hudizorder.read.TaskInput;
import io.hudizorder.read.TaskReader;
import io.hudizorder.spark.expression.RowFingerprint;
import io.hudizorder.spark.expression.TaskExpressions;
import io.hudizorder.spark.fit.OneFileOrder;
import io.hudizorder.spark.fit.RowClustering;
import io.hudizorder.table.TableColumns;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.TaskFailureListener;

/**
 * Groups that one job lays out: a task reads, fits, sorts and writes its groups one after another,
 * each of which fills one file and is a sample of itself. By jobs of their own, for a plan, a
 * sample, a shuffle and a write, they would wait for Spark most of the time.
 */
public final class SmallGroups {

  /** What one has at most, which Spark's own tasks exceed: a task holds one at a time. */
  private static final long MOST_BYTES = 64L << 20;

  /** Enough for even ends; each task unpacks the table and prepares its code anew. */
  private static final int TASKS_A_CORE = 4;

  /** What a task is worth beginning for, also before there is a core for it. */
  private static final long BYTES_OF_TASK = 256L << 20;

  /** What it takes to begin and end a group's files, as bytes of theirs. */
  private static final long BYTES_OF_OPENING = 1L << 20;

  private static final int ITS_ONLY_TASK = 0;

  /** What the tasks share. */
  private static final class Task implements Serializable {
    private static final long serialVersionUID = 1L;

    private final TaskReader reader;
    private final OneFileOrder order;
    private final RowFiles files;
    private final RowCounts counts;

    Task(TaskReader reader, OneFileOrder order, RowFiles files, RowCounts counts) {
      this.reader = reader;
      this.order = order;
      this.files = files;
      this.counts = counts;
    }

    /**
     * The statuses of each, which is written when they are asked for: where an index wants them,
     * they name every row. None of the files stays behind a task that fails before it has given
     * them all: those it gave Spark may have kept for another attempt, and files that nobody names
     * in the end go by Hudi's markers.
     */
    Iterator<List<WriteStatus>> write(Iterator<SmallGroup> groups) {
      List<String> written = new ArrayList<>();
      TaskContext.get()
          .addTaskFailureListener(
              (TaskFailureListener)
                  (task, reason) -> written.forEach(path -> files.delete(path, reason)));
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          boolean more = groups.hasNext();
          if (!more) {
            written.clear();
          }
          return more;
        }

        @Override
        public List<WriteStatus> next() {
          List<WriteStatus> statuses = write(groups.next());
          statuses.forEach(status -> written.add(files.path(status.getStat())));
          return statuses;
        }
      };
    }

    private List<WriteStatus> write(SmallGroup group) {
      return group.named(
          () -> {
            Iterator<UnsafeRow> rows = counts.counting(group.number, reader.read(group.input));
            return files.writeFiles(order.sort(group.weights, rows), group.files, ITS_ONLY_TASK);
          });
    }
  }

  private final HoodieSparkEngineContext engine;
  private final GroupInputs inputs;
  private final RowClustering clustering;
  private final TableColumns columns;
  private final RowFiles files;
  private final long mostRows;
  private final List<SmallGroup> groups = new ArrayList<>();

  /** By the number of a group. */
  private final RowCounts counts = new RowCounts();

  /**
   * No groups.
   *
   * @param clustering of all of them, but for the weights
   */
  public SmallGroups(
      HoodieSparkEngineContext engine,
      GroupInputs inputs,
      RowClustering clustering,
      TableColumns columns,
      RowFiles files) {
    this.engine = engine;
    this.inputs = inputs;
    this.clustering = clustering;
    this.columns = columns;
    this.files = files;
    this.mostRows = clustering.wholeSample();
    // Without a name: Spark keeps the whole value of a named one with every task that has ended.
    engine.jsc().sc().register(counts);
  }

  private Task task() {
    return new Task(
        reader(inputs()), clustering.oneFileOrder(session(), columns.sparkSchema()), files, counts);
  }

  private TaskReader reader(Stream<TaskInput> read) {
    return inputs.taskReader(read.anyMatch(TaskInput::isMerged));
  }

  private Stream<TaskInput> inputs() {
    return groups.stream().map(group -> group.input);
  }

  private TaskExpressions rowHash() {
    StructType schema = columns.sparkSchema();
    return TaskExpressions.of(
        session(),
        schema,
        List.of(RowFingerprint.hash(schema, HoodieRecord.FILENAME_METADATA_FIELD)));
  }

  private SparkSession session() {
    return engine.getSqlContext().sparkSession();
  }

  /** Whether a task can lay a group out by itself. */
  public boolean fits(TaskInput input) {
    return fits(input.mostRows(), input.bytes(), mostRows);
  }

  static boolean fits(long rows, long bytes, long mostRows) {
    return rows > 0 && rows <= mostRows && bytes <= MOST_BYTES;
  }

  /**
   * Adds a group.
   *
   * @param layout that of all groups, with the weights of this one
   */
  public void add(TaskInput input, LayoutSpec layout, RowFiles.OfGroup files) {
    groups.add(new SmallGroup(groups.size(), input, layout.weights(), files));
  }

  int size() {
    return groups.size();
  }

  String partitionPath(int group) {
    return groups.get(group).files.partitionPath();
  }

  /** The rows by footers, or where these do not tell, as they were read; asked after the write. */
  long rows(int group) {
    TaskInput input = groups.get(group).input;
    return input.isCounted() ? input.rows() : counts.of(group);
  }

  /**
   * What writes them once it is asked for the statuses, those of a group together, in the order of
   * groups, one group after another; as lazy as Spark.
   */
  public JavaRDD<List<WriteStatus>> write() {
    Task shared = task();
    SessionSettings settings = new SessionSettings(session());
    return inTasks(groups, Function.identity())
        .mapPartitions(some -> settings.within(() -> shared.write(some.next().iterator())));
  }

  /**
   * Reads the rows of each group, and those of the files written of it, in one job.
   *
   * @param written by group
   */
  List<Pair<RowFingerprint, RowFingerprint>> fingerprints(List<List<HoodieWriteStat>> written) {
    List<TaskInput> after = inputs.openWrittenInTasks(written);
    List<Pair<SmallGroup, TaskInput>> both =
        IntStream.range(0, groups.size())
            .mapToObj(group -> Pair.of(groups.get(group), after.get(group)))
            .collect(Collectors.toList());
    TaskReader reader = reader(Stream.concat(inputs(), after.stream()));
    TaskExpressions hash = rowHash();
    SessionSettings settings = new SessionSettings(session());
    return inTasks(both, Pair::getLeft)
        .mapPartitions(
            some -> settings.within(() -> fingerprints(some.next(), reader, hash).iterator()))
        .collect();
  }

  private static List<Pair<RowFingerprint, RowFingerprint>> fingerprints(
      List<Pair<SmallGroup, TaskInput>> both, TaskReader reader, TaskExpressions hash) {
    List<Pair<RowFingerprint, RowFingerprint>> found = new ArrayList<>();
    for (Pair<SmallGroup, TaskInput> group : both) {
      SmallGroup before = group.getLeft();
      found.add(
          before.named(
              () ->
                  Pair.of(
                      RowFingerprint.of(reader.read(before.input), hash),
                      RowFingerprint.of(reader.read(group.getRight()), hash))));
    }
    return found;
  }

  /** Consecutive groups, or what there is of each, of about the same cost for every task. */
  private <V> JavaRDD<List<V>> inTasks(List<V> items, Function<V, SmallGroup> group) {
    long all = groups.stream().mapToLong(SmallGroups::cost).sum();
    double share = (double) all / tasks(all, engine.jsc().defaultParallelism());
    Map<Long, List<V>> shares = new TreeMap<>();
    long before = 0;
    for (V item : items) {
      shares.computeIfAbsent((long) (before / share), task -> new ArrayList<>()).add(item);
      before += cost(group.apply(item));
    }
    return engine.jsc().parallelize(new ArrayList<>(shares.values()), shares.size());
  }

  /**
   * Among how many tasks to share a cost, of which there are no more than groups in the end. The
   * cores are those that are there when it begins, and a cluster may grow.
   */
  static int tasks(long cost, int cores) {
    return (int) Math.max(TASKS_A_CORE * cores, Math.ceil((double) cost / BYTES_OF_TASK));
  }

  private static long cost(SmallGroup group) {
    return BYTES_OF_OPENING + group.input.bytes();
  }
}
