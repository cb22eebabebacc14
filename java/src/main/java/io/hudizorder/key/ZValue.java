package io.hudizorder.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The words of one row, interleaved bit by bit into a byte array, and the order of rows it gives.
 *
 * <p>Bit b of column i, both counted from 0, the most significant bit first, is bit {@code b k + i}
 * of the z-value of k columns. Words are read as unsigned. Rows have 1 to {@link #MAX_COLUMNS}
 * columns; every other number is refused with an {@link IllegalArgumentException}.
 */
public final class ZValue {

  /** Most columns of a z-value. */
  public static final int MAX_COLUMNS = 128;

  /** Above this, transposing a bit matrix is faster than spreading each word. */
  private static final int MAX_SPREAD_COLUMNS = 8;

  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  // The numbers of columns in common use have a constant each, see BitSpread.
  private static final BitSpread TWO = BitSpread.of(2);
  private static final BitSpread THREE = BitSpread.of(3);
  private static final BitSpread FOUR = BitSpread.of(4);
  private static final BitSpread[] BY_COLUMNS = spreadsByColumns();

  private ZValue() {}

  /**
   * The z-value of a row.
   *
   * @param words one word a column, the leading column first
   * @return 8 bytes a column
   */
  public static byte[] interleave(long[] words) {
    requireColumns(words.length);
    switch (words.length) {
      case 1:
        return bytes(words);
      case 2:
        return spread(words, 2, TWO);
      case 3:
        return spread(words, 3, THREE);
      case 4:
        return spread(words, 4, FOUR);
      default:
        return words.length <= MAX_SPREAD_COLUMNS
            ? spread(words, words.length, BY_COLUMNS[words.length])
            : bytes(BitMatrix.interleave(words));
    }
  }

  /** The first 64 bits of {@link #interleave}, without the rest. */
  public static long leadingBits(long[] words) {
    requireColumns(words.length);
    switch (words.length) {
      case 1:
        return words[0];
      case 2:
        return block(words, 2, TWO, 0, 0);
      case 3:
        return block(words, 3, THREE, 0, 0);
      case 4:
        return block(words, 4, FOUR, 0, 0);
      default:
        return block(words, Math.min(words.length, 64), BY_COLUMNS[words.length], 0, 0);
    }
  }

  /**
   * The inverse of {@link #interleave}.
   *
   * @throws IllegalArgumentException also if the bytes are not 8 a column
   */
  public static long[] deinterleave(byte[] zValue) {
    return BitMatrix.deinterleave(blocks(zValue));
  }

  /** The bytes, 8 for each of 1 to {@link #MAX_COLUMNS} columns, as blocks of 64 bits. */
  static long[] blocks(byte[] bytes) {
    if (bytes.length % Long.BYTES != 0) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot read a z-value: it has 8 bytes a column, 'length' was '%d'; "
                  + "pass all the bytes of one z-value",
              bytes.length));
    }
    requireColumns(bytes.length / Long.BYTES);
    long[] blocks = new long[bytes.length / Long.BYTES];
    for (int block = 0; block < blocks.length; block++) {
      blocks[block] = (long) BIG_ENDIAN.get(bytes, block * Long.BYTES);
    }
    return blocks;
  }

  /** Compares as HBase compares row keys: by unsigned bytes, a prefix before what it begins. */
  public static int compare(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b);
  }

  /**
   * Compares rows as {@link #compare} compares the z-values of their first columns, without
   * interleaving.
   *
   * <p>The first bit in which two z-values differ belongs to the column whose words differ in the
   * most significant bit, or to the first of several such columns. That column's words agree above
   * the bit, so their order is the order of the z-values (T. M. Chan, "Closest-point problems
   * simplified on the RAM", 2002; Impala compares tuples this way).
   *
   * @param columns how many leading columns count
   * @throws IllegalArgumentException also if the rows differ in their number of columns
   */
  public static int compareWords(long[] a, long[] b, int columns) {
    requireColumns(columns);
    if (a.length != b.length) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot compare rows: both need the same columns, 'columns' was '%d' and '%d'; "
                  + "pass the words of the same sort columns",
              a.length, b.length));
    }
    int leading = 0;
    int agreeing = Long.numberOfLeadingZeros(a[0] ^ b[0]);
    for (int column = 1; column < columns; column++) {
      int bits = Long.numberOfLeadingZeros(a[column] ^ b[column]);
      if (bits < agreeing) {
        leading = column;
        agreeing = bits;
      }
    }
    return Long.compareUnsigned(a[leading], b[leading]);
  }

  /** Refuses a number of columns that no key has. */
  static void requireColumns(int columns) {
    if (columns < 1 || columns > MAX_COLUMNS) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot build a key: it takes 1 to %d columns, 'columns' was '%d'; "
                  + "name that many sort columns",
              MAX_COLUMNS, columns));
    }
  }

  private static byte[] spread(long[] words, int columns, BitSpread spread) {
    byte[] zValue = new byte[columns * Long.BYTES];
    for (int block = 0; block < columns; block++) {
      int bit = block * 64;
      long bits = block(words, columns, spread, bit / columns, bit % columns);
      BIG_ENDIAN.set(zValue, block * Long.BYTES, bits);
    }
    return zValue;
  }

  /** The 64 bits of a z-value that start with one level of one column; at most 64 columns. */
  private static long block(long[] words, int columns, BitSpread spread, int level, int column) {
    long bits = 0L;
    for (int offset = 0; offset < columns; offset++) {
      int next = column + offset;
      boolean sameLevel = next < columns;
      long word = words[sameLevel ? next : next - columns] << (sameLevel ? level : level + 1);
      bits |= spread.spread(word) >>> offset;
    }
    return bits;
  }

  private static byte[] bytes(long[] blocks) {
    byte[] bytes = new byte[blocks.length * Long.BYTES];
    for (int block = 0; block < blocks.length; block++) {
      BIG_ENDIAN.set(bytes, block * Long.BYTES, blocks[block]);
    }
    return bytes;
  }

  private static BitSpread[] spreadsByColumns() {
    BitSpread[] spreads = new BitSpread[MAX_COLUMNS + 1];
    for (int columns = 2; columns <= MAX_COLUMNS; columns++) {
      spreads[columns] = BitSpread.of(columns);
    }
    return spreads;
  }
}
