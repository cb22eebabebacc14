package io.hudizorder.key;

/**
 * The words of one row as their index on the Hilbert curve, on which neighbours differ by one step
 * in one column.
 *
 * <p>The transpose algorithm of J. Skilling, "Programming the Hilbert curve", AIP Conference
 * Proceedings 707 (2004): the words are turned, in place and bit level by bit level, into words
 * whose interleaving is the index. Keys compare as {@link ZValue#compare} does. Every method takes
 * 1 to {@link ZValue#MAX_COLUMNS} columns and throws {@link IllegalArgumentException} otherwise.
 */
public final class Hilbert {

  private Hilbert() {}

  /**
   * The Hilbert index of a row.
   *
   * @param words one word a column
   * @return 8 bytes a column, the most significant bit first
   */
  public static byte[] key(long[] words) {
    return ZValue.interleave(transpose(words));
  }

  /**
   * The first bits of {@link #key}, from the leading ceil(bits / k) bits of each word alone.
   *
   * @param words one word a column
   * @param bits how many are wanted, 1 to 64; those below them are without meaning
   */
  public static long leadingBits(long[] words, int bits) {
    ZValue.requireColumns(words.length);
    return ZValue.leadingBits(transpose(words, (bits + words.length - 1) / words.length));
  }

  /**
   * The words whose z-value is the Hilbert index.
   *
   * @param words left unchanged
   */
  public static long[] transpose(long[] words) {
    ZValue.requireColumns(words.length);
    return transpose(words, 64);
  }

  /**
   * The words whose interleaving is the Hilbert index, in their leading bits; the bits below these
   * are without meaning. No level depends on a lower one: the index of the leading bits leads the
   * index of the whole words.
   *
   * @param words left unchanged
   * @param bits how many leading bits of each word to transform, 1 to 64
   */
  static long[] transpose(long[] words, int bits) {
    long[] x = words.clone();
    undoRotations(x, bits);
    undoGrayCode(x);
    return x;
  }

  /** Turns and mirrors what lies below each level back into the curve's first orientation. */
  private static void undoRotations(long[] x, int bits) {
    long first = x[0];
    // Nothing of interest lies below the last level.
    for (int bit = 63; bit > 64 - bits; bit--) {
      long below = (1L << bit) - 1;
      first ^= below & -(first >>> bit & 1);
      for (int column = 1; column < x.length; column++) {
        // All ones where this column lies in the upper half: mirror the first column below, else
        // exchange it with this one. Without a branch, as the bits are as good as random.
        long upper = -(x[column] >>> bit & 1);
        long exchange = (first ^ x[column]) & below & ~upper;
        x[column] ^= exchange;
        first ^= exchange | (below & upper);
      }
    }
    x[0] = first;
  }

  /** Turns the Gray code, in which neighbours differ in one bit, into binary numbers. */
  private static void undoGrayCode(long[] x) {
    for (int column = 1; column < x.length; column++) {
      x[column] ^= x[column - 1];
    }
    // Each bit becomes the parity of the last column's bits above it.
    long parity = x[x.length - 1] >>> 1;
    for (int distance = 1; distance < 64; distance <<= 1) {
      parity ^= parity >>> distance;
    }
    for (int column = 0; column < x.length; column++) {
      x[column] ^= parity;
    }
  }
}
