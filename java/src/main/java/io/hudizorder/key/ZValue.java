package io.hudizorder.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The words of one row, interleaved bit by bit into a byte array, and the order of rows it gives.
 *
 * <p>Bit b of column i, both counted from 0, the most significant bit first, is bit {@code b k + i}
 * of the z-value of k columns. Every method takes 1 to {@link #MAX_COLUMNS} columns and throws
 * {@link IllegalArgumentException} otherwise.
 */
public final class ZValue {

  /** Most columns of a z-value. */
  public static final int MAX_COLUMNS = 128;

  /** Most bytes of a z-value. */
  public static final int MAX_BYTES = MAX_COLUMNS * Long.BYTES;

  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private ZValue() {}

  /**
   * The z-value of a row.
   *
   * @param words one word a column, the leading column first
   * @return 8 bytes a column
   */
  public static byte[] interleave(long[] words) {
    requireColumns(words.length);
    byte[] zValue = new byte[words.length * Long.BYTES];
    for (int block = 0; block < words.length; block++) {
      BIG_ENDIAN.set(zValue, block * Long.BYTES, block(words, block));
    }
    return zValue;
  }

  /** The first 64 bits of {@link #interleave}, without the rest. */
  public static long leadingBits(long[] words) {
    requireColumns(words.length);
    return block(words, 0);
  }

  /**
   * The inverse of {@link #interleave}.
   *
   * @throws IllegalArgumentException also if the bytes are not whole words
   */
  public static long[] deinterleave(byte[] zValue) {
    if (zValue.length % Long.BYTES != 0) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot read a z-value: it has 8 bytes a column, 'length' was '%d'; "
                  + "pass all the bytes of one z-value",
              zValue.length));
    }
    int columns = zValue.length / Long.BYTES;
    requireColumns(columns);
    long[] words = new long[columns];
    BitSpread spread = BitSpread.of(columns);
    for (int block = 0; block < columns; block++) {
      long bits = (long) BIG_ENDIAN.get(zValue, block * Long.BYTES);
      int level = block * 64 / columns;
      int column = block * 64 % columns;
      for (int offset = 0; offset < Math.min(columns, 64); offset++) {
        words[column] |= spread.gather(bits << offset) >>> level;
        if (++column == columns) {
          column = 0;
          level++;
        }
      }
    }
    return words;
  }

  /**
   * Compares z-values as HBase compares row keys: unsigned bytes, a prefix before its extensions.
   */
  public static int compare(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b);
  }

  /**
   * Compares rows as {@link #compare} compares their z-values, without interleaving.
   *
   * <p>The first bit in which two z-values differ belongs to the column whose words differ in the
   * most significant bit, of several such columns to the first, and that column's words differ
   * nowhere above it: so their order is the order of the z-values (Chan 2002; Impala's tuple
   * comparator).
   *
   * @throws IllegalArgumentException also if the rows differ in their number of columns
   */
  public static int compareWords(long[] a, long[] b) {
    requireColumns(a.length);
    if (a.length != b.length) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot compare rows: both need the same columns, 'columns' was '%d' and '%d'; "
                  + "pass the words of the same sort columns",
              a.length, b.length));
    }
    int leading = 0;
    long leadingDifference = a[0] ^ b[0];
    for (int column = 1; column < a.length; column++) {
      long difference = a[column] ^ b[column];
      if (hasHigherLeadingBit(difference, leadingDifference)) {
        leading = column;
        leadingDifference = difference;
      }
    }
    return Long.compareUnsigned(a[leading], b[leading]);
  }

  /** Refuses a number of columns that no key can have. */
  static void requireColumns(int columns) {
    if (columns < 1 || columns > MAX_COLUMNS) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot build a key: it takes 1 to %d columns, 'columns' was '%d'; "
                  + "name that many sort columns",
              MAX_COLUMNS, columns));
    }
  }

  /** Bits {@code 64 block} to {@code 64 block + 63} of the z-value. */
  private static long block(long[] words, int block) {
    int columns = words.length;
    BitSpread spread = BitSpread.of(columns);
    int level = block * 64 / columns;
    int column = block * 64 % columns;
    long bits = 0L;
    for (int offset = 0; offset < Math.min(columns, 64); offset++) {
      bits |= spread.spread(words[column] << level) >>> offset;
      if (++column == columns) {
        column = 0;
        level++;
      }
    }
    return bits;
  }

  private static boolean hasHigherLeadingBit(long a, long b) {
    return Long.compareUnsigned(b, a) < 0 && Long.compareUnsigned(b, a ^ b) < 0;
  }
}
