package io.hudizorder.key;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Boxes, and what is true of them by their definition: rows one by one, z-values as numbers. */
final class ZBoxes {

  private ZBoxes() {}

  /** A box with the same words in every column. */
  static ZBox of(int columns, long low, long high) {
    return ZBox.of(words(columns, low), words(columns, high));
  }

  static long[] words(int columns, long word) {
    long[] words = new long[columns];
    Arrays.fill(words, word);
    return words;
  }

  /** Calls for each box of a grid with so many values a column. */
  static void forEachBox(int columns, int values, Consumer<ZBox> action) {
    forEachBox(new long[columns], new long[columns], 0, values, action);
  }

  private static void forEachBox(
      long[] low, long[] high, int column, int values, Consumer<ZBox> action) {
    if (column == low.length) {
      action.accept(ZBox.of(low, high));
      return;
    }
    for (low[column] = 0; low[column] < values; low[column]++) {
      for (high[column] = low[column]; high[column] < values; high[column]++) {
        forEachBox(low, high, column + 1, values, action);
      }
    }
  }

  /** A box with so few rows that they can be listed, anywhere. */
  static ZBox small(Random random, int columns, int width) {
    long[] low = new long[columns];
    long[] high = new long[columns];
    for (int column = 0; column < columns; column++) {
      int size = random.nextInt(width);
      // Around a multiple of a power of two, where the curve jumps.
      long middle = random.nextLong() & -1L << random.nextInt(64);
      low[column] = middle - random.nextInt(size + 1);
      high[column] = low[column] + size;
      if (Long.compareUnsigned(low[column], high[column]) > 0) {
        low[column] = 0;
        high[column] = size;
      }
    }
    return ZBox.of(low, high);
  }

  static ZBox random(Random random, int columns) {
    long[] low = new long[columns];
    long[] high = new long[columns];
    for (int column = 0; column < columns; column++) {
      long one = random.nextLong() >>> random.nextInt(64);
      long other = random.nextLong() >>> random.nextInt(64);
      boolean ordered = Long.compareUnsigned(one, other) <= 0;
      low[column] = ordered ? one : other;
      high[column] = ordered ? other : one;
    }
    return ZBox.of(low, high);
  }

  /** A row of a box. */
  static byte[] row(Random random, ZBox box) {
    long[] row = new long[box.columns()];
    for (int column = 0; column < row.length; column++) {
      BigInteger low = new BigInteger(Long.toUnsignedString(box.low()[column]));
      BigInteger high = new BigInteger(Long.toUnsignedString(box.high()[column]));
      BigInteger size = high.subtract(low).add(BigInteger.ONE);
      row[column] = low.add(new BigInteger(80, random).mod(size)).longValue();
    }
    return ZValue.interleave(row);
  }

  /** Whether the row of a z-value lies in a box. */
  static boolean holds(ZBox box, byte[] zValue) {
    long[] row = ZValue.deinterleave(zValue);
    return IntStream.range(0, row.length)
        .allMatch(
            column ->
                Long.compareUnsigned(box.low()[column], row[column]) <= 0
                    && Long.compareUnsigned(row[column], box.high()[column]) <= 0);
  }

  /** All z-values of a small box, ascending. */
  static List<BigInteger> rows(ZBox box) {
    TreeSet<BigInteger> rows = new TreeSet<>();
    addRows(box, box.low().clone(), 0, rows);
    return new ArrayList<>(rows);
  }

  private static void addRows(ZBox box, long[] row, int column, TreeSet<BigInteger> rows) {
    if (column == row.length) {
      rows.add(number(ZValue.interleave(row)));
      return;
    }
    for (long word = box.low()[column]; ; word++) {
      row[column] = word;
      addRows(box, row, column + 1, rows);
      if (word == box.high()[column]) {
        return;
      }
    }
  }

  static BigInteger number(byte[] zValue) {
    return new BigInteger(1, zValue);
  }

  static byte[] bytes(BigInteger number, int columns) {
    byte[] zValue = new byte[columns * Long.BYTES];
    byte[] minimal = number.toByteArray();
    int kept = Math.min(minimal.length, zValue.length);
    System.arraycopy(minimal, minimal.length - kept, zValue, zValue.length - kept, kept);
    return zValue;
  }
}
