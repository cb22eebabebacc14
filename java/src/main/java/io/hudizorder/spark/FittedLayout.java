package io.hudizorder.spark;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.EqualCuts;
import io.hudizorder.layout.Layout;
import io.hudizorder.layout.SplitTree;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A layout fitted to a sample: what turns a row's values into words, words into the file the row
 * belongs to, and words into its place within the file. Its public methods are called from code
 * that Spark generates, once a row.
 *
 * <p>A row's words are the words of its sort columns followed by its tie-breaker, a hash of the
 * row's identity by which rows with equal values are shared out when they fill several files.
 */
public final class FittedLayout implements Serializable {

  private static final long serialVersionUID = 1L;

  /** The part that grows with the number of files and boundaries; shipped once an executor. */
  private static final class Model implements Serializable {
    private static final long serialVersionUID = 1L;

    private final ColumnRanks ranks;
    private final TaskLayouts tasks;
    private final int[] targets;

    Model(ColumnRanks ranks, TaskLayouts tasks) {
      this.ranks = ranks;
      this.tasks = tasks;
      this.targets = ShuffleTargets.of(tasks.tasks());
    }
  }

  /** The curve along which rows lie inside a file. */
  private final Curve order;

  private final boolean ranked;
  private final int tasks;
  private final String partitionColumn;
  private final Broadcast<Model> model;
  private transient Model unwrapped;

  /**
   * Ships a layout to the executors.
   *
   * @param partitionColumn names the column that holds the path of a row's partition; null where
   *     all rows share one layout
   */
  FittedLayout(
      JavaSparkContext spark,
      LayoutSpec spec,
      ColumnRanks ranks,
      TaskLayouts tasks,
      String partitionColumn) {
    this.order = spec.splits() ? spec.fileOrder() : spec.curve();
    this.ranked = spec.ranked();
    this.tasks = tasks.tasks();
    this.partitionColumn = partitionColumn;
    this.model = spark.broadcast(new Model(ranks, tasks));
  }

  /**
   * Learns ranks and cuts.
   *
   * @param files how many files to fill, at least 1
   */
  static FittedLayout fit(
      JavaSparkContext spark, Sample sample, List<SortColumn> columns, LayoutSpec spec, int files) {
    ColumnRanks ranks = ColumnRanks.learn(sample, columns, spec.ranked());
    Layout layout = cut(spec, ranks.words(sample), files);
    return new FittedLayout(spark, spec, ranks, TaskLayouts.of(layout), null);
  }

  /** Cuts the words of sampled rows, the tie-breaker last, into files. */
  static Layout cut(LayoutSpec spec, long[][] words, int files) {
    if (spec.splits()) {
      // The tie-breaker weighs nothing: it is split only where no sort column can be.
      return SplitTree.build(words, Arrays.copyOf(spec.weights(), words.length), files);
    }
    return EqualCuts.build(words, words.length - 1, spec.curve(), files);
  }

  boolean ranked() {
    return ranked;
  }

  Curve order() {
    return order;
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

  /** The tie-breaking word of a row's hash; its leading bits are not those a sample selects by. */
  public static long tie(long rowHash) {
    return Long.reverse(rowHash);
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
    return model().tasks.taskOf(path, wordsAndTie);
  }

  /** The integer that Spark's hash partitioning sends to a task. */
  public int target(int task) {
    return model().targets[task];
  }

  /**
   * The row's place on the curve through its file, as a signed long in the curve's order: its first
   * 32 bits, and below them 32 bits of the row's hash, for Spark sorts single longs by radix. The
   * place is that within the file's box, for ranked words of which the leading bits differ: 2^32 of
   * them tell more rows apart than pages need. A single column's word is its place to the last bit,
   * and leaves no room for a hash.
   *
   * @param task that writes the row's file
   * @param wordsAndTie changed: brought to their places within the file
   */
  public long shortKey(UTF8String path, int task, long[] wordsAndTie) {
    int columns = wordsAndTie.length - 1;
    if (columns == 1) {
      return wordsAndTie[0] ^ Long.MIN_VALUE;
    }
    model().tasks.stretch(path, task, wordsAndTie);
    long hash = wordsAndTie[columns] >>> Integer.SIZE;
    long place = order.leadingBits(withoutTie(wordsAndTie), Integer.SIZE);
    return (place & -1L << Integer.SIZE | hash) ^ Long.MIN_VALUE;
  }

  /** The row's whole place on the curve: a z-value, or a Hilbert index, of 8 bytes a column. */
  public byte[] key(long[] wordsAndTie) {
    return order.key(withoutTie(wordsAndTie));
  }

  private static long[] withoutTie(long[] wordsAndTie) {
    return Arrays.copyOf(wordsAndTie, wordsAndTie.length - 1);
  }

  /**
   * Whether rows of one place have keys of their own nevertheless: two of them share one with a
   * chance of 2^-32, and only then is their order that in which the shuffle brings them.
   */
  boolean keyBreaksTies(int columns) {
    return ranked && order != Curve.LINEAR && columns > 1;
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
