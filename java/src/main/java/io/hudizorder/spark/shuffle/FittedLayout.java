package io.hudizorder.spark.shuffle;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.Layout;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.layout.RowOrder;
import io.hudizorder.layout.tree.QueryShares;
import java.io.Serializable;
import java.util.Optional;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A layout fitted to a sample: what turns a row's values into words, words into the file the row
 * belongs to, and words into its place within the file. Its public methods are called from code
 * that Spark generates, once a row.
 *
 * <p>A row's words are the words of its sort columns followed by its tie-breaker, a hash of other
 * columns by which rows with equal values are shared out when they fill several files.
 */
public final class FittedLayout implements Serializable {

  private static final long serialVersionUID = 1L;

  /** The part that grows with the number of files and boundaries; shipped once an executor. */
  private static final class Model implements Serializable {
    private static final long serialVersionUID = 1L;

    private final ColumnRanks ranks;
    private final TaskRouter router;
    private final int[] targets;

    Model(ColumnRanks ranks, TaskRouter router) {
      this.ranks = ranks;
      this.router = router;
      this.targets = ShuffleTargets.of(router.tasks());
    }
  }

  /** Whether rows are sorted by their columns one after the other, and need no key. */
  private final boolean lexical;

  private final boolean ranked;
  private final int tasks;
  private final String partitionColumn;
  private final Broadcast<Model> model;
  private transient Model unwrapped;
  private transient QueryShares queryShares;

  /**
   * Ships the layout of all rows to the executors.
   *
   * @param layout of files that have a task each
   */
  public FittedLayout(JavaSparkContext spark, LayoutSpec spec, ColumnRanks ranks, Layout layout) {
    this(spark, spec, ranks, TaskRouter.of(layout), null);
    this.queryShares = layout.cuts().queryShares().orElse(null);
  }

  /**
   * Ships a layout to the executors.
   *
   * @param partitionColumn names the column that holds the path of a row's partition; null where
   *     all rows share one layout
   */
  public FittedLayout(
      JavaSparkContext spark,
      LayoutSpec spec,
      ColumnRanks ranks,
      TaskRouter router,
      String partitionColumn) {
    this.lexical = spec.curve() == Curve.LINEAR;
    this.ranked = spec.ranked();
    this.tasks = router.tasks();
    this.partitionColumn = partitionColumn;
    this.model = spark.broadcast(new Model(ranks, router));
  }

  /** What queries read that all rows were cut for; known on the driver. */
  public Optional<QueryShares> queryShares() {
    return Optional.ofNullable(queryShares);
  }

  public boolean ranked() {
    return ranked;
  }

  boolean lexical() {
    return lexical;
  }

  /** How many tasks write the rows: one a file, or fewer where small partitions share them. */
  int tasks() {
    return tasks;
  }

  /** The column that holds the path of a row's partition, where each has a layout of its own. */
  Optional<String> partitionColumn() {
    return Optional.ofNullable(partitionColumn);
  }

  /** Frees the model on the executors. */
  public void close() {
    model.unpersist();
  }

  /** The ranked word of a value that its direct word tells apart. */
  public long word(int column, long directWord) {
    return model().ranks.word(column, directWord);
  }

  /** The ranked word of a value given as ordered bytes. */
  public long word(int column, byte[] value) {
    return model().ranks.word(column, value);
  }

  /**
   * The task that writes the row's file.
   *
   * @param path of the row's partition; ignored where all rows share one layout
   */
  public int task(UTF8String path, long[] wordsAndTie) {
    return model().router.taskOf(path, wordsAndTie);
  }

  /** The integer that Spark's hash partitioning sends to a task. */
  public int target(int task) {
    return model().targets[task];
  }

  /**
   * The row's place within its file, as a signed long, for Spark sorts single longs by radix. It is
   * for ranked words, of which the leading bits differ; see {@link RowOrder#shortKey}.
   *
   * @param task that writes the row's file
   */
  public long shortKey(UTF8String path, int task, long[] wordsAndTie) {
    return model().router.shortKeyOf(path, task, wordsAndTie);
  }

  /** The row's whole place within its file. */
  public byte[] key(UTF8String path, int task, long[] wordsAndTie) {
    return model().router.keyOf(path, task, wordsAndTie);
  }

  /**
   * Whether rows of one place have keys of their own nevertheless: two of them share one with a
   * chance of 2^-32, and only then is their order that in which the shuffle brings them.
   */
  boolean keyBreaksTies(int columns) {
    return ranked && !lexical && columns > 1;
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  /**
   * The same for all layouts, which is a hash if a poor one; no hash table of many layouts exists.
   *
   * <p>Spark puts common subexpressions into the order of their hashes, and an expression that asks
   * a layout takes its hash in. By {@code Object}'s, which differs from one object to the next, the
   * order would change, and with it the text of the code that Spark generates, from one clustering
   * to the next: each would be compiled and warmed up again.
   */
  @Override
  public int hashCode() {
    return 1;
  }

  /** The model, unwrapped once a task: asking a broadcast takes a lock each time. */
  private Model model() {
    Model known = unwrapped;
    if (known == null) {
      known = model.value();
      unwrapped = known;
    }
    return known;
  }
}
