package io.hudizorder.layout.tree;

/**
 * Brings a word to its place in the box of words that a leaf of a tree holds, stretched to all
 * words there are: by one subtraction and one multiplication.
 */
public final class LeafStretch {

  /** Doubles hold 53 bits: an order of rows looks at fewer. */
  private static final int DOUBLE_BITS = 53;

  private static final double PLACES = 0x1p53;

  private final int columns;

  private final long[] lows;

  /** Places for each word between the least and the greatest. */
  private final double[] scales;

  /**
   * For boxes between words, unsigned and inclusive, file by file and within it column by column.
   *
   * @param lows the least words; kept
   */
  LeafStretch(int columns, long[] lows, long[] highs) {
    this.columns = columns;
    this.lows = lows;
    this.scales = new double[lows.length];
    for (int i = 0; i < lows.length; i++) {
      scales[i] = PLACES / (unsigned(highs[i] - lows[i]) + 1);
    }
  }

  /** Brings each word from the file's box to {@code [0, 2^64)}, in its order. */
  public void stretch(int file, long[] words) {
    for (int c = 0; c < words.length; c++) {
      words[c] = stretch(file, c, words[c]);
    }
  }

  /** Brings the word of one column from the file's box to {@code [0, 2^64)}. */
  public long stretch(int file, int column, long word) {
    int side = file * columns + column;
    double place = unsigned(word - lows[side]) * scales[side];
    return (long) Math.min(place, PLACES - 1) << (Long.SIZE - DOUBLE_BITS);
  }

  private static double unsigned(long word) {
    double half = word >>> 1;
    return half * 2 + (word & 1);
  }
}
