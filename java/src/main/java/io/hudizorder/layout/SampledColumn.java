package io.hudizorder.layout;

import java.util.Arrays;

/**
 * One column of a sample, each word replaced by its number among the column's distinct words.
 *
 * <p>The rows of each node of a growing tree are neighbours: a split swaps rows until they are.
 */
final class SampledColumn {
  /**
   * The number of null: below all values in order, and all bits set, so that {@code number &
   * Integer.MAX_VALUE} lies above all values, where a minimum passes it over.
   */
  static final int NULL = -1;

  /** Distinct words other than null, ascending, sign bit flipped. */
  private final long[] words;

  /** How many rows have a value below each distinct word, and how many have a value, at the end. */
  private final int[] below;

  private final int[] numbers;

  /** How many rows have the same value as each row, itself included; 0 for null. */
  private final int[] twins;

  SampledColumn(long[] sample) {
    int rows = sample.length;
    long[] sorted =
        Arrays.stream(sample).filter(word -> word != 0).map(word -> flip(word)).sorted().toArray();
    int values = sorted.length;
    int[] starts = new int[values + 1];
    int distinct = 0;
    for (int i = 0; i < values; i++) {
      if (i == 0 || sorted[i] != sorted[distinct - 1]) {
        starts[distinct] = i;
        sorted[distinct++] = sorted[i];
      }
    }
    starts[distinct] = values;
    words = Arrays.copyOf(sorted, distinct);
    below = Arrays.copyOf(starts, distinct + 1);

    numbers = new int[rows];
    twins = new int[rows];
    for (int row = 0; row < rows; row++) {
      if (sample[row] == 0) {
        numbers[row] = NULL;
      } else {
        int number = Arrays.binarySearch(words, flip(sample[row]));
        numbers[row] = number;
        twins[row] = below[number + 1] - below[number];
      }
    }
  }

  /** How many rows have a value. */
  int values() {
    return below[words.length];
  }

  /** How many values there are, each counted once. */
  int distinct() {
    return words.length;
  }

  /** The share of all values that have a number from {@code min} to {@code max}. */
  double share(int min, int max) {
    return (double) (below[max + 1] - below[min]) / values();
  }

  /** The word of a number, sign bit flipped. */
  long word(int number) {
    return words[number];
  }

  int number(int row) {
    return numbers[row];
  }

  void copyNumbers(int from, int to, int[] target) {
    System.arraycopy(numbers, from, target, 0, to - from);
  }

  /**
   * States this column in the boxes of a node's slices.
   *
   * @param c this column's place in the boxes
   * @param sliceOf the slice of each row
   */
  void measure(int from, int to, int c, byte[] sliceOf, Box[] slices, int count) {
    int[] min = new int[count];
    int[] max = new int[count];
    long[] sum = new long[count];
    Arrays.fill(min, Integer.MAX_VALUE);
    Arrays.fill(max, NULL);
    for (int row = from; row < to; row++) {
      int slice = sliceOf[row];
      int number = numbers[row];
      min[slice] = Math.min(min[slice], number & Integer.MAX_VALUE);
      max[slice] = Math.max(max[slice], number);
      sum[slice] += twins[row];
    }
    for (int slice = 0; slice < count; slice++) {
      slices[slice].setColumn(c, min[slice], max[slice], sum[slice]);
    }
  }

  void swap(int a, int b) {
    swap(numbers, a, b);
    swap(twins, a, b);
  }

  private static void swap(int[] array, int a, int b) {
    int element = array[a];
    array[a] = array[b];
    array[b] = element;
  }

  private static long flip(long word) {
    return word ^ Long.MIN_VALUE;
  }
}
