package io.hudizorder.layout;

import java.util.Arrays;

/**
 * A k-d tree whose leaves are files: equally full, and with boxes that are disjoint up to ties.
 *
 * <p>A row walks from the root to its leaf, left where its word in the node's column is below the
 * node's cut. How columns and cuts are chosen is told in {@link SplitTreeBuilder}.
 */
public final class SplitTree implements Layout {
  private static final long serialVersionUID = 1L;

  private final int root;
  private final int files;

  /** Column each node splits. */
  private final byte[] column;

  /** Least word that goes right, sign bit flipped so that signed comparison orders words. */
  private final long[] cut;

  /** Children of each node: a node if not negative, else the complement of a file. */
  private final int[] left;

  private final int[] right;

  SplitTree(int root, int files, byte[] column, long[] cut, int[] left, int[] right) {
    this.root = root;
    this.files = files;
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
    return new SplitTreeBuilder(sample, weights, files).build();
  }

  @Override
  public int files() {
    return files;
  }

  @Override
  public int fileOf(long[] words) {
    int node = root;
    while (node >= 0) {
      long word = words[column[node] & 0xFF] ^ Long.MIN_VALUE;
      node = word < cut[node] ? left[node] : right[node];
    }
    return ~node;
  }

  @Override
  public void stretch(long[] words) {
    int columns = words.length;
    long[] low = new long[columns];
    long[] high = new long[columns];
    Arrays.fill(high, -1L);
    int node = root;
    while (node >= 0) {
      int c = column[node] & 0xFF;
      long least = cut[node] ^ Long.MIN_VALUE;
      if (Long.compareUnsigned(words[c], least) < 0) {
        high[c] = least - 1;
        node = left[node];
      } else {
        low[c] = least;
        node = right[node];
      }
    }
    for (int c = 0; c < columns; c++) {
      words[c] = stretch(words[c] - low[c], high[c] - low[c]);
    }
  }

  /** Brings an unsigned distance from {@code [0, most]} to {@code [0, 2^64)}, in its order. */
  private static long stretch(long distance, long most) {
    // Doubles hold 53 bits: a curve through two columns or more looks at fewer.
    double share = unsigned(distance) / (unsigned(most) + 1) * 0x1p53;
    return (long) Math.min(share, 0x1p53 - 1) << 11;
  }

  private static double unsigned(long word) {
    double half = word >>> 1;
    return half * 2 + (word & 1);
  }
}
