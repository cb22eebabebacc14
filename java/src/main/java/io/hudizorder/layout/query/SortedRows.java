package io.hudizorder.layout.query;

import io.hudizorder.layout.rank.SignedWords;
import io.hudizorder.layout.split.NumberedColumn;

/** Rows in the order of their numbers in a column: a radix sort by 8 bits at a time. */
final class SortedRows {
  private static final int DIGIT_BITS = 8;
  private static final int DIGITS = 1 << DIGIT_BITS;

  /** The rows, lowest number first. */
  final int[] rows;

  private final int[] numbers;

  /**
   * Sorts rows.
   *
   * @param rows of which those from one position up to another are taken
   */
  SortedRows(NumberedColumn column, int[] rows, int from, int to) {
    long[] pairs = new long[to - from];
    int min = Integer.MAX_VALUE;
    int max = NumberedColumn.NULL;
    for (int i = 0; i < pairs.length; i++) {
      int row = rows[from + i];
      int number = column.number(row);
      min = Math.min(min, number);
      max = Math.max(max, number);
      pairs[i] = (long) number << Integer.SIZE | row;
    }
    long[] sorted = sorted(pairs, min, max);
    this.rows = new int[sorted.length];
    numbers = new int[sorted.length];
    for (int i = 0; i < sorted.length; i++) {
      this.rows[i] = (int) sorted[i];
      numbers[i] = number(sorted[i]);
    }
  }

  private static long[] sorted(long[] pairs, int min, int max) {
    long[] sorted = pairs;
    long[] next = new long[pairs.length];
    for (int shift = 0; (long) max - min >>> shift > 0; shift += DIGIT_BITS) {
      int[] starts = new int[DIGITS + 1];
      for (long pair : sorted) {
        starts[digit(pair, min, shift) + 1]++;
      }
      for (int digit = 0; digit < DIGITS; digit++) {
        starts[digit + 1] += starts[digit];
      }
      for (long pair : sorted) {
        next[starts[digit(pair, min, shift)]++] = pair;
      }
      long[] before = sorted;
      sorted = next;
      next = before;
    }
    return sorted;
  }

  private static int number(long pair) {
    return (int) (pair >> Integer.SIZE);
  }

  private static int digit(long pair, int min, int shift) {
    return number(pair) - min >>> shift & DIGITS - 1;
  }

  int size() {
    return rows.length;
  }

  /** The number of the row at a place of the order. */
  int number(int place) {
    return numbers[place];
  }

  /** How many rows have a lower number. */
  int below(int number) {
    return SignedWords.countUpTo(numbers, numbers.length, number - 1);
  }
}
