package io.hudizorder.layout.split;

import java.util.Arrays;

/**
 * What skipping can know of some sampled rows: how many there are and, for each column, their least
 * and greatest value, nulls passed over as file statistics pass them over.
 */
public final class Box {
  private final NumberedColumn[] columns;
  private final int[] min;
  private final int[] max;

  /** For each column, the sum over the rows of how many sampled rows have the same value. */
  private final long[] twins;

  private int rows;

  /** A box around no rows. */
  Box(NumberedColumn[] columns) {
    this.columns = columns;
    min = new int[columns.length];
    max = new int[columns.length];
    twins = new long[columns.length];
    Arrays.fill(min, Integer.MAX_VALUE);
    Arrays.fill(max, NumberedColumn.NULL);
  }

  void setRows(int rows) {
    this.rows = rows;
  }

  void setColumn(int c, int min, int max, long twins) {
    this.min[c] = min;
    this.max[c] = max;
    this.twins[c] = twins;
  }

  /** Makes this the box around the rows of two others. */
  void setUnion(Box a, Box b) {
    rows = a.rows + b.rows;
    for (int c = 0; c < columns.length; c++) {
      setColumn(
          c, Math.min(a.min[c], b.min[c]), Math.max(a.max[c], b.max[c]), a.twins[c] + b.twins[c]);
    }
  }

  int rows() {
    return rows;
  }

  /** The share of a column's values that lie within the box: a query for one touches its rows. */
  double touched(int c) {
    return max[c] == NumberedColumn.NULL ? 0 : columns[c].share(min[c], max[c]);
  }

  /**
   * The part of {@link #touched} that splits can take away: all but a row's own value. It is
   * nothing for a constant, little for a column of few values, and nearly all for distinct ones.
   */
  double reducible(int c) {
    return max[c] == NumberedColumn.NULL
        ? 0
        : touched(c) - (double) twins[c] / rows / columns[c].values();
  }
}
