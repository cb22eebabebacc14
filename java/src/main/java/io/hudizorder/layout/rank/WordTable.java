package io.hudizorder.layout.rank;

import io.hudizorder.key.ZValue;
import java.util.Arrays;

/** What every layout asks of the sample it is built from: words by column, then by row. */
public final class WordTable {
  /** The most sort columns a z-value holds, and one that only tells rows apart. */
  private static final int MAX_COLUMNS = ZValue.MAX_COLUMNS + 1;

  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  private WordTable() {}

  /** The number of rows, once it is certain that every column has as many. */
  public static int rows(long[][] sample) {
    if (sample.length == 0) {
      throw new IllegalArgumentException(
          "Cannot lay out rows: the sample has no columns; name at least one sort column");
    }
    if (sample.length > MAX_COLUMNS) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot lay out rows: the sample has %d columns; use at most %d",
              sample.length, MAX_COLUMNS));
    }
    for (int c = 1; c < sample.length; c++) {
      if (sample[c].length != sample[0].length) {
        throw new IllegalArgumentException(
            String.format(
                "Cannot lay out rows: column %d of the sample has %d rows, column 0 has %d;"
                    + " sample the same rows of every column",
                c, sample[c].length, sample[0].length));
      }
    }
    return sample[0].length;
  }

  /**
   * An order of the rows that follows from their words alone, whatever order they came in, and that
   * looks random: the order of their hashes (the finalizer of SplitMix64: G. Steele, D. Lea, C.
   * Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
   */
  public static int[] randomOrder(long[][] sample) {
    long[] hashes = new long[rows(sample)];
    for (long[] words : sample) {
      for (int row = 0; row < hashes.length; row++) {
        hashes[row] = mixed(hashes[row] + GOLDEN_GAMMA ^ words[row]);
      }
    }
    int[] order = RadixOrder.of(hashes);
    return tellTwinsApart(hashes, order) ? RadixOrder.of(hashes) : order;
  }

  /** Gives equal rows, which lie side by side in the order of hashes, different hashes. */
  private static boolean tellTwinsApart(long[] hashes, int[] order) {
    boolean found = false;
    int first = 0;
    for (int i = 1; i < order.length; i++) {
      if (hashes[order[i]] != hashes[order[first]]) {
        first = i;
      } else {
        hashes[order[i]] = mixed(hashes[order[i]] + (i - first) * GOLDEN_GAMMA);
        found = true;
      }
    }
    return found;
  }

  /** A number that looks random, and that no other number gives. */
  public static long mixed(long bits) {
    bits = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
    bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
    return bits ^ (bits >>> 31);
  }

  /** So many rows of a sample, or all there are, chosen by {@link #randomOrder}. */
  public static long[][] randomRows(long[][] sample, long most) {
    if (rows(sample) <= most) {
      return sample;
    }
    int[] chosen = Arrays.copyOf(randomOrder(sample), (int) most);
    return Arrays.stream(sample).map(words -> inOrder(words, chosen)).toArray(long[][]::new);
  }

  /** The words of a column in an order of its rows. */
  public static long[] inOrder(long[] words, int[] order) {
    return Arrays.stream(order).mapToLong(row -> words[row]).toArray();
  }

  /** The words of one row. */
  public static long[] row(long[][] sample, int row) {
    long[] words = new long[sample.length];
    for (int c = 0; c < words.length; c++) {
      words[c] = sample[c][row];
    }
    return words;
  }

  /**
   * The rows of each group, ascending.
   *
   * @param group of each row, in {@code [0, groups)}
   */
  public static int[][] rowsByGroup(int[] group, int groups) {
    int[] counts = new int[groups];
    Arrays.stream(group).forEach(g -> counts[g]++);
    int[][] rows = Arrays.stream(counts).mapToObj(int[]::new).toArray(int[][]::new);
    for (int row = group.length - 1; row >= 0; row--) {
      rows[group[row]][--counts[group[row]]] = row;
    }
    return rows;
  }

  /** Refuses to lay rows out in no file. */
  public static void checkFiles(int files) {
    if (files < 1) {
      throw new IllegalArgumentException(
          "Cannot lay out rows: 'files' was '" + files + "'; ask for at least 1");
    }
  }

  /** Refuses weights that are not one finite number, 0 or above, for each column. */
  public static void checkWeights(double[] weights, int columns) {
    if (weights.length != columns) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot lay out rows: there are %d weights for %d columns; give one for each",
              weights.length, columns));
    }
    for (double weight : weights) {
      if (!(weight >= 0 && weight < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException(
            "Cannot lay out rows: a weight was '" + weight + "'; give 0 or a positive number");
      }
    }
  }
}
