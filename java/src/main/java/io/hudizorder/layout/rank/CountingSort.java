package io.hudizorder.layout.rank;

import java.util.Arrays;

/** Ascending order of ints, found by counting them where they lie close together. */
public final class CountingSort {
  /** The range of numbers, over how many there are, above which they are compared instead. */
  private static final int MOST_SPARSE = 4;

  private CountingSort() {}

  /** Brings numbers into ascending order. */
  public static void sort(int[] numbers) {
    int min = Integer.MAX_VALUE;
    int max = Integer.MIN_VALUE;
    for (int number : numbers) {
      min = Math.min(min, number);
      max = Math.max(max, number);
    }
    if ((long) max - min < (long) MOST_SPARSE * numbers.length) {
      sort(numbers, min, max);
    } else {
      Arrays.sort(numbers);
    }
  }

  private static void sort(int[] numbers, int min, int max) {
    int[] counts = new int[max - min + 1];
    for (int number : numbers) {
      counts[number - min]++;
    }
    int end = 0;
    for (int i = 0; i < counts.length; i++) {
      int start = end;
      end += counts[i];
      Arrays.fill(numbers, start, end, min + i);
    }
  }
}
