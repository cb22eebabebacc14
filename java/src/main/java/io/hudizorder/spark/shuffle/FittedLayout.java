package io.hudizorder.spark.shuffle;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.CurveOrder;
import io.hudizorder.layout.EqualCuts;
import io.hudizorder.layout.FileCuts;
import io.hudizorder.layout.Layout;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.layout.PageTiles;
import io.hudizorder.layout.RowOrder;
import io.hudizorder.layout.SplitTree;
import io.hudizorder.layout.WordTable;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.sample.RowWidths;
import io.hudizorder.spark.sample.SortColumnSample;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
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
    private final TaskRouter tasks;
    private final int[] targets;

    Model(ColumnRanks ranks, TaskRouter tasks) {
      this.ranks = ranks;
      this.tasks = tasks;
      this.targets = ShuffleTargets.of(tasks.tasks());
    }
  }

  /** How much larger or smaller than all rows those of a file may be, in the mean, as a ratio. */
  public static final double UNEVEN = 1.25;

  /** Whether rows are sorted by their columns one after the other, and need no key. */
  private final boolean lexical;

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
  public FittedLayout(
      JavaSparkContext spark,
      LayoutSpec spec,
      ColumnRanks ranks,
      TaskRouter tasks,
      String partitionColumn) {
    this.lexical = spec.curve() == Curve.LINEAR;
    this.ranked = spec.ranked();
    this.tasks = tasks.tasks();
    this.partitionColumn = partitionColumn;
    this.model = spark.broadcast(new Model(ranks, tasks));
  }

  /**
   * Learns ranks and cuts.
   *
   * @param rows about how many rows there are
   * @param files how many files to fill, at least 1
   * @param widths what the sample was measured with
   * @return none where rows differ so much in size that files of as many rows each would, too
   */
  public static Optional<FittedLayout> fit(
      JavaSparkContext spark,
      SortColumnSample sample,
      List<SortColumn> columns,
      LayoutSpec spec,
      long rows,
      int files,
      RowWidths widths) {
    ColumnRanks ranks = ColumnRanks.learn(sample, columns, spec.ranked());
    long[][] words = ranks.words(sample);
    Layout layout = lay(spec, words, rows, files);
    if (!widths.isEmpty()
        && (widths.hasMissed(sample.bytes()) || isUneven(layout.layout(), words, sample.bytes()))) {
      return Optional.empty();
    }
    return Optional.of(new FittedLayout(spark, spec, ranks, TaskRouter.of(layout), null));
  }

  private static boolean isUneven(FileCuts layout, long[][] words, double[] bytes) {
    double all = Arrays.stream(bytes).sum();
    double[] rowShares = new double[layout.files()];
    double[] byteShares = new double[layout.files()];
    for (int row = 0; row < bytes.length; row++) {
      int file = layout.fileOf(WordTable.row(words, row));
      rowShares[file] += 1.0 / bytes.length;
      byteShares[file] += bytes[row] / all;
    }
    return differ(rowShares, byteShares);
  }

  /** Whether files' shares of all rows and of all bytes are clearly not the same. */
  public static boolean differ(double[] rowShares, double[] byteShares) {
    return IntStream.range(0, rowShares.length)
        .anyMatch(
            file ->
                byteShares[file] > UNEVEN * rowShares[file]
                    || rowShares[file] > UNEVEN * byteShares[file]);
  }

  /**
   * Cuts rows into files and orders them inside.
   *
   * @param words of sampled rows, the tie-breaker last
   * @param rows about how many rows there are
   */
  public static Layout lay(LayoutSpec spec, long[][] words, double rows, int files) {
    if (!spec.splits()) {
      return new Layout(equalCuts(spec, words, files), CurveOrder.of(spec.curve()));
    }
    SplitTree tree = tree(spec, words, files);
    double pages = rows / tree.files() / spec.pageRows();
    return new Layout(tree, order(spec, tree, words, pages));
  }

  /** Cuts the words of sampled rows, the tie-breaker last, into files. */
  public static FileCuts cut(LayoutSpec spec, long[][] words, int files) {
    return spec.splits() ? tree(spec, words, files) : equalCuts(spec, words, files);
  }

  private static EqualCuts equalCuts(LayoutSpec spec, long[][] words, int files) {
    return EqualCuts.build(words, words.length - 1, spec.curve(), files);
  }

  private static SplitTree tree(LayoutSpec spec, long[][] words, int files) {
    // The tie-breaker weighs nothing: it is split only where no sort column can be.
    return SplitTree.build(words, Arrays.copyOf(spec.weights(), words.length), files);
  }

  private static RowOrder order(LayoutSpec spec, SplitTree tree, long[][] words, double pages) {
    switch (spec.fileOrder()) {
      case ZORDER:
        return CurveOrder.within(tree, Curve.ZORDER);
      case HILBERT:
        return CurveOrder.within(tree, Curve.HILBERT);
      case TILES:
        return PageTiles.learn(tree, words, spec.weights(), pages);
      default:
        throw new IllegalStateException("No order of rows is called " + spec.fileOrder());
    }
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
   * The row's place within its file, as a signed long: its first 32 bits, and below them 32 bits of
   * the row's hash, for Spark sorts single longs by radix. It is for ranked words, of which the
   * leading bits differ: 2^32 places tell more rows apart than pages need. A single column's word
   * is its place to the last bit, and leaves no room for a hash.
   *
   * @param task that writes the row's file
   */
  public long shortKey(UTF8String path, int task, long[] wordsAndTie) {
    int columns = wordsAndTie.length - 1;
    if (columns == 1) {
      return wordsAndTie[0] ^ Long.MIN_VALUE;
    }
    long place = model().tasks.placeOf(path, task, wordsAndTie) & -1L << RowOrder.PLACE_BITS;
    // The leading bits of a tie-breaker are alike where it has cut files apart.
    long hash = wordsAndTie[columns] & -1L >>> RowOrder.PLACE_BITS;
    return (place | hash) ^ Long.MIN_VALUE;
  }

  /** The row's whole place within its file. */
  public byte[] key(UTF8String path, int task, long[] wordsAndTie) {
    return model().tasks.keyOf(path, task, wordsAndTie);
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
   * The same for all: Spark puts common subexpressions into the order of their hashes, and these
   * include a layout's. With hashes that vary, so would the code it generates for one clustering
   * and the next, and each would be compiled and warmed up again.
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
