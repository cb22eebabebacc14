package io.hudizorder.key;

import java.util.Optional;

/**
 * A box of rows: for each column, the leading one first, the words from a lowest to a highest, both
 * inside and compared as unsigned; and the search for its next z-value along the curve.
 *
 * <p>{@code bigmin} and {@code litmax} are those of H. Tropf and H. Herzog, "Multidimensional Range
 * Search in Dynamically Balanced Trees" (1981). Where their loop goes bit by bit through the
 * z-value, here the last bit at which it can be left is found from each column's own word.
 */
public final class ZBox {

  private final long[] low;
  private final long[] high;

  /** Takes the arrays as they are; each low word is at most its high word. */
  ZBox(long[] low, long[] high) {
    this.low = low;
    this.high = high;
  }

  /**
   * A box of 1 to {@link ZValue#MAX_COLUMNS} columns.
   *
   * @throws IllegalArgumentException if the arrays differ in length or a low word is above its high
   */
  public static ZBox of(long[] low, long[] high) {
    ZValue.requireColumns(low.length);
    requireColumns(low.length, high.length);
    for (int column = 0; column < low.length; column++) {
      if (Long.compareUnsigned(low[column], high[column]) > 0) {
        throw new IllegalArgumentException(
            String.format(
                "Cannot build a box: low is at most high, column %d was '%s' to '%s'; "
                    + "exchange them",
                column, Long.toUnsignedString(low[column]), Long.toUnsignedString(high[column])));
      }
    }
    return new ZBox(low.clone(), high.clone());
  }

  /** The same of words as 8 bytes each, the most significant first. */
  public static ZBox of(byte[] low, byte[] high) {
    return of(ZValue.blocks(low), ZValue.blocks(high));
  }

  public int columns() {
    return low.length;
  }

  /** The least z-value of the box. */
  public byte[] first() {
    return ZValue.interleave(low);
  }

  /** The greatest z-value of the box. */
  public byte[] last() {
    return ZValue.interleave(high);
  }

  /** The least z-value of the box above another, which may lie anywhere. */
  public Optional<byte[]> bigmin(byte[] zValue) {
    long[] next = next(words(zValue), low, high);
    return Optional.ofNullable(next).map(ZValue::interleave);
  }

  /** The greatest z-value of the box below another, which may lie anywhere. */
  public Optional<byte[]> litmax(byte[] zValue) {
    // Complements reverse the order of words and of z-values alike.
    long[] next = next(complement(words(zValue)), complement(high), complement(low));
    return Optional.ofNullable(next).map(words -> ZValue.interleave(complement(words)));
  }

  /** The lowest words; not to be changed. */
  long[] low() {
    return low;
  }

  /** The highest words; not to be changed. */
  long[] high() {
    return high;
  }

  private long[] words(byte[] zValue) {
    long[] words = ZValue.deinterleave(zValue);
    requireColumns(low.length, words.length);
    return words;
  }

  private static void requireColumns(int wanted, int columns) {
    if (columns != wanted) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot search a box: it has %d columns, 'columns' was '%d'; "
                  + "pass one word, or 8 bytes of z-value, for each of its columns",
              wanted, columns));
    }
  }

  /**
   * The words of the box's least z-value above that of a row; null if there is none.
   *
   * <p>It agrees with the row's z-value above some bit, where it has 1 for the row's 0, and is the
   * box's least below. The lower that bit, the less the z-value, so the lowest is sought at which
   * the box has such a row.
   */
  private static long[] next(long[] row, long[] low, long[] high) {
    int columns = row.length;
    int limit = leaving(row, low, high);
    int last = -1;
    for (int column = 0; column < columns && column <= limit; column++) {
      if (Long.compareUnsigned(row[column], high[column]) < 0) {
        // Where the row first has 0 and the highest word 1, and at any 0 below, the column can rise
        // and still be at most the highest.
        int highest = Long.numberOfLeadingZeros(row[column] ^ high[column]);
        int lowest = Math.min(63, (limit - column) / columns);
        long rising = ~row[column] & -1L >>> highest & -1L << (63 - lowest);
        if (rising != 0) {
          int level = 63 - Long.numberOfTrailingZeros(rising);
          last = Math.max(last, level * columns + column);
        }
      }
    }
    return last < 0 ? null : leastAbove(row, low, last);
  }

  /**
   * The z-value's first bit with which the row is in no prefix of the box; beyond all if inside.
   */
  private static int leaving(long[] row, long[] low, long[] high) {
    int columns = row.length;
    int first = 64 * columns;
    for (int column = 0; column < columns; column++) {
      long bound = row[column];
      if (Long.compareUnsigned(row[column], low[column]) < 0) {
        bound = low[column];
      } else if (Long.compareUnsigned(row[column], high[column]) > 0) {
        bound = high[column];
      }
      if (bound != row[column]) {
        int level = Long.numberOfLeadingZeros(row[column] ^ bound);
        first = Math.min(first, level * columns + column);
      }
    }
    return first;
  }

  /** The least words of at least {@code low} that agree with a row above a bit and have 1 there. */
  private static long[] leastAbove(long[] row, long[] low, int bit) {
    int columns = row.length;
    long[] least = new long[columns];
    for (int column = 0; column < columns; column++) {
      int kept = bit / columns + (column < bit % columns ? 1 : 0);
      // A shift by all 64 bits would be none.
      long prefix = kept == 0 ? 0 : row[column] & -1L << (64 - kept);
      if (column == bit % columns) {
        prefix |= Long.MIN_VALUE >>> kept;
      }
      least[column] = Long.compareUnsigned(prefix, low[column]) < 0 ? low[column] : prefix;
    }
    return least;
  }

  static long[] complement(long[] words) {
    long[] complement = new long[words.length];
    for (int column = 0; column < words.length; column++) {
      complement[column] = ~words[column];
    }
    return complement;
  }
}
