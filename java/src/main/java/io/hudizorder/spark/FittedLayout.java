package io.hudizorder.spark;

import io.hudizorder.layout.BytesRanks;
import io.hudizorder.layout.Curve;
import io.hudizorder.layout.EqualCuts;
import io.hudizorder.layout.Layout;
import io.hudizorder.layout.LongRanks;
import io.hudizorder.layout.SplitTree;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.util.ArrayData;

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

  /** Boundaries a column's ranks are told apart by; 65,536 words of 8 bytes. */
  private static final int MAX_BOUNDARIES = 1 << 16;

  /** The part that grows with the number of files and boundaries; shipped once an executor. */
  private static final class Model implements Serializable {
    private static final long serialVersionUID = 1L;

    private final Object[] ranks;
    private final Layout layout;
    private final int[] targets;

    Model(Object[] ranks, Layout layout) {
      this.ranks = ranks;
      this.layout = layout;
      this.targets = ShuffleTargets.of(layout.files());
    }
  }

  /** The curve along which rows lie inside a file. */
  private final Curve order;

  private final boolean ranked;
  private final int files;
  private final Broadcast<Model> model;

  private FittedLayout(LayoutSpec spec, int files, Broadcast<Model> model) {
    this.order = spec.splits() ? spec.fileOrder() : spec.curve();
    this.ranked = spec.ranked();
    this.files = files;
    this.model = model;
  }

  /**
   * Learns ranks and cuts.
   *
   * @param files how many files to fill, at least 1
   */
  static FittedLayout fit(
      JavaSparkContext spark, Sample sample, List<SortColumn> columns, LayoutSpec spec, int files) {
    Object[] ranks = new Object[columns.size()];
    long[][] words = new long[columns.size() + 1][];
    for (int c = 0; c < columns.size(); c++) {
      if (!spec.ranked()) {
        words[c] = sample.words(c);
      } else if (columns.get(c).wide()) {
        byte[][] values = sample.bytes(c);
        BytesRanks learnt = BytesRanks.of(values, MAX_BOUNDARIES);
        ranks[c] = learnt;
        words[c] = Arrays.stream(values).mapToLong(learnt::word).toArray();
      } else {
        long[] values = sample.words(c);
        LongRanks learnt = LongRanks.of(values, MAX_BOUNDARIES);
        ranks[c] = learnt;
        words[c] = Arrays.stream(values).map(learnt::word).toArray();
      }
    }
    words[columns.size()] = sample.ties();
    Layout layout = cut(spec, words, files);
    return new FittedLayout(spec, layout.files(), spark.broadcast(new Model(ranks, layout)));
  }

  private static Layout cut(LayoutSpec spec, long[][] words, int files) {
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

  int files() {
    return files;
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
    return ((LongRanks) model.value().ranks[column]).word(directWord);
  }

  /** The ranked word of a value given as ordered bytes. */
  public long word(int column, byte[] value) {
    return ((BytesRanks) model.value().ranks[column]).word(value);
  }

  /** The integer that Spark's hash partitioning sends to the partition of the row's file. */
  public int target(ArrayData wordsAndTie) {
    Model fitted = model.value();
    return fitted.targets[fitted.layout.fileOf(wordsAndTie.toLongArray())];
  }

  /**
   * The first 64 bits of the row's place on the curve through its file, as a signed long in the
   * curve's order. For ranked words, whose leading bits differ, it orders rows as the whole z-value
   * would, and Spark sorts longs faster than bytes.
   */
  public long shortKey(ArrayData wordsAndTie) {
    long[] words = wordsAndTie.toLongArray();
    // A single column's word is its place, to the last bit.
    if (words.length > 2) {
      model.value().layout.stretch(words);
    }
    return order.leadingBits(withoutTie(words)) ^ Long.MIN_VALUE;
  }

  /** The row's whole place on the curve: a z-value, or a Hilbert index, of 8 bytes a column. */
  public byte[] key(ArrayData wordsAndTie) {
    return order.key(withoutTie(wordsAndTie.toLongArray()));
  }

  private static long[] withoutTie(long[] wordsAndTie) {
    return Arrays.copyOf(wordsAndTie, wordsAndTie.length - 1);
  }
}
