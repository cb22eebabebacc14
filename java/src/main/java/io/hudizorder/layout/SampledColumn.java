package io.hudizorder.layout;

import java.util.Arrays;

/**
 * One column of a sample, each word replaced by its number among the distinct words of the column.
 *
 * <p>A node of the tree under construction is a range of rows; its rows are kept together by
 * swapping, so that every question about a node is one pass over neighbouring numbers.
 */
final class SampledColumn {
  /** Null is no value: it lies below all of them and a file's minimum and maximum pass it over. */
  private static final int NULL = -1;

  /** Distinct words other than null, ascending, sign bit flipped. */
  private final long[] words;

  /**
   * How many sampled rows lie below each distinct word, null not counted; all of them at the end.
   */
  private final int[] below;

  /** The number of each row's word. */
  private final int[] numbers;

  private final int[] scratch;

  SampledColumn(long[] sample, int[] scratch) {
    long[] sorted = new long[sample.length];
    for (int row = 0; row < sample.length; row++) {
      sorted[row] = sample[row] ^ Long.MIN_VALUE;
    }
    Arrays.sort(sorted);
    int nulls = 0;
    while (nulls < sorted.length && sorted[nulls] == Long.MIN_VALUE) {
      nulls++;
    }
    int[] starts = new int[sorted.length - nulls + 1];
    int distinct = 0;
    for (int row = nulls; row < sorted.length; row++) {
      if (row == nulls || sorted[row] != sorted[row - 1]) {
        starts[distinct] = row - nulls;
        sorted[distinct++] = sorted[row];
      }
    }
    starts[distinct] = sorted.length - nulls;
    this.words = Arrays.copyOf(sorted, distinct);
    this.below = Arrays.copyOf(starts, distinct + 1);
    this.scratch = scratch;
    numbers = new int[sample.length];
    for (int row = 0; row < sample.length; row++) {
      numbers[row] =
          sample[row] == 0 ? NULL : Arrays.binarySearch(words, sample[row] ^ Long.MIN_VALUE);
    }
  }

  /** The word, sign bit flipped, from which on rows lie right of a cut. */
  long word(int cut) {
    return words[cut];
  }

  int distinct() {
    return words.length;
  }

  boolean isLeft(int row, int cut) {
    return numbers[row] < cut;
  }

  void swap(int a, int b) {
    int number = numbers[a];
    numbers[a] = numbers[b];
    numbers[b] = number;
  }

  /**
   * How much of the column's queries a node still answers in vain: the share of all values within
   * its minimum and maximum, less the share that equals the very row.
   */
  double reducible(int from, int to) {
    int min = Integer.MAX_VALUE;
    int max = NULL;
    long own = 0;
    for (int row = from; row < to; row++) {
      int number = numbers[row];
      if (number != NULL) {
        min = Math.min(min, number);
        max = Math.max(max, number);
        own += below[number + 1] - below[number];
      }
    }
    if (max == NULL) {
      return 0;
    }
    double all = below[words.length];
    return (below[max + 1] - below[min] - (double) own / (to - from)) / all;
  }

  /** The number at a position of the node's rows, were they sorted. */
  int select(int from, int to, int position) {
    int length = to - from;
    System.arraycopy(numbers, from, scratch, 0, length);
    return Selection.select(scratch, length, position);
  }

  /** How many rows of the node lie left of a cut. */
  int countLeft(int from, int to, int cut) {
    int count = 0;
    for (int row = from; row < to; row++) {
      if (numbers[row] < cut) {
        count++;
      }
    }
    return count;
  }
}
