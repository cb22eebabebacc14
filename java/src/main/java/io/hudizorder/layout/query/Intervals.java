package io.hudizorder.layout.query;

import io.hudizorder.layout.split.NumberedColumn;

/** What file statistics tell of some rows: least and greatest number, and nulls, of each column. */
final class Intervals {
  private final int[] min;
  private final int[] max;
  private final boolean[] nulls;

  /**
   * Those of some rows.
   *
   * @param rows where those from {@code start} to {@code end} are told
   */
  Intervals(NumberedColumn[] columns, int[] rows, int start, int end) {
    min = new int[columns.length];
    max = new int[columns.length];
    nulls = new boolean[columns.length];
    for (int c = 0; c < columns.length; c++) {
      columns[c].bound(rows, start, end, c, min, max, nulls);
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
