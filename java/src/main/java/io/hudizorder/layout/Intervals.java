package io.hudizorder.layout;

import java.util.Arrays;

/** What file statistics tell of some rows: least and greatest number, and nulls, of each column. */
final class Intervals {
  private final int[] min;
  private final int[] max;
  private final boolean[] nulls;

  Intervals(int columns) {
    min = new int[columns];
    max = new int[columns];
    nulls = new boolean[columns];
    clear();
  }

  void clear() {
    Arrays.fill(min, Integer.MAX_VALUE);
    Arrays.fill(max, NumberedColumn.NULL);
    Arrays.fill(nulls, false);
  }

  void add(int c, int number) {
    if (number == NumberedColumn.NULL) {
      nulls[c] = true;
    } else {
      min[c] = Math.min(min[c], number);
      max[c] = Math.max(max[c], number);
    }
  }

  void add(Intervals other, int[] columns) {
    for (int c : columns) {
      min[c] = Math.min(min[c], other.min[c]);
      max[c] = Math.max(max[c], other.max[c]);
      nulls[c] |= other.nulls[c];
    }
  }

  int min(int c) {
    return min[c];
  }

  int max(int c) {
    return max[c];
  }

  boolean nulls(int c) {
    return nulls[c];
  }
}
