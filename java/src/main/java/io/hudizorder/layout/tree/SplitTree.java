package io.hudizorder.layout.tree;

import io.hudizorder.layout.query.Query;
import io.hudizorder.layout.rank.SignedWords;
import io.hudizorder.layout.split.NumberedColumn;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * A k-d tree whose leaves are files: equally full, and with boxes that are disjoint up to ties.
 *
 * <p>A row walks from the root to its leaf, left where its word in the node's column is below the
 * node's cut. How columns and cuts are chosen is told in {@link SplitTreeBuilder}.
 */
public final class SplitTree implements FileCuts {
  private static final long serialVersionUID = 1L;

  private final int root;
  private final int files;
  private final int columns;

  /** Column each node splits. */
  private final byte[] column;

  /** Least word that goes right, sign bit flipped so that signed comparison orders words. */
  private final long[] cut;

  /** Children of each node: a node if not negative, else the complement of a file. */
  private final int[] left;

  private final int[] right;

  private transient LeafStretch leafStretch;
  private transient QueryShares queryShares;

  SplitTree(int root, int files, int columns, byte[] column, long[] cut, int[] left, int[] right) {
    this.root = root;
    this.files = files;
    this.columns = columns;
    this.column = column;
    this.cut = cut;
    this.left = left;
    this.right = right;
  }

  /**
   * Learns a tree from a sample. Some 200 sampled rows for each file keep the files within 0.7 and
   * 1.4 of their mean.
   *
   * @param sample words by column, then by row, 0 for null; the order of the rows does not matter
   * @param weights what skipping on each column is worth, at least 0; a column of weight 0 is split
   *     only where no other can be
   * @param files number of files wanted; there are fewer where equal rows cannot be told apart
   * @throws IllegalArgumentException without a column or a file, for columns of unequal length,
   *     more than 129 columns, or weights that are not one finite number for each column
   */
  public static SplitTree build(long[][] sample, double[] weights, int files) {
    return new SplitTreeBuilder(NumberedColumn.all(sample), weights, files).build();
  }

  /**
   * The same for queries that are known; see {@link QueriedTree}.
   *
   * @param queries of columns of the sample
   */
  public static SplitTree build(long[][] sample, double[] weights, int files, List<Query> queries) {
    return build(sample, weights, files, queries, new BitSet());
  }

  /**
   * The same of a part of a table.
   *
   * @param askedElsewhere columns that queries ask of other parts: of this one, nobody does
   */
  public static SplitTree build(
      long[][] sample, double[] weights, int files, List<Query> queries, BitSet askedElsewhere) {
    return QueriedTree.build(sample, weights, files, queries, askedElsewhere);
  }

  /** The same tree, which knows what queries read. */
  SplitTree with(QueryShares shares) {
    SplitTree tree = new SplitTree(root, files, columns, column, cut, left, right);
    tree.queryShares = shares;
    return tree;
  }

  @Override
  public Optional<QueryShares> queryShares() {
    return Optional.ofNullable(queryShares);
  }

  @Override
  public int files() {
    return files;
  }

  @Override
  public int fileOf(long[] words) {
    int node = root;
    while (node >= 0) {
      long word = SignedWords.flip(words[column[node] & 0xFF]);
      node = word < cut[node] ? left[node] : right[node];
    }
    return ~node;
  }

  /**
   * How to stretch the box of each file, derived where it is first asked for: a tree travels
   * without.
   */
  public LeafStretch leafStretch() {
    LeafStretch known = leafStretch;
    if (known == null) {
      known = fileBoxes().stretch();
      leafStretch = known;
    }
    return known;
  }

  @Override
  public Optional<LeafBoxes> boxes() {
    return Optional.of(fileBoxes());
  }

  private LeafBoxes fileBoxes() {
    long[] lows = new long[files * columns];
    long[] highs = new long[files * columns];
    mark(root, new long[columns], filled(columns), lows, highs);
    return new LeafBoxes(columns, lows, highs);
  }

  /** Tells the boxes of the files below a node, which spans the words from low to high. */
  private void mark(int node, long[] low, long[] high, long[] lows, long[] highs) {
    if (node < 0) {
      System.arraycopy(low, 0, lows, ~node * columns, columns);
      System.arraycopy(high, 0, highs, ~node * columns, columns);
      return;
    }
    int c = column[node] & 0xFF;
    long least = SignedWords.flip(cut[node]);
    long outer = high[c];
    high[c] = least - 1;
    mark(left[node], low, high, lows, highs);
    high[c] = outer;
    outer = low[c];
    low[c] = least;
    mark(right[node], low, high, lows, highs);
    low[c] = outer;
  }

  private static long[] filled(int columns) {
    long[] greatest = new long[columns];
    Arrays.fill(greatest, -1L);
    return greatest;
  }
}
