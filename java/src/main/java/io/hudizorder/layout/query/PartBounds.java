package io.hudizorder.layout.query;

import io.hudizorder.layout.split.NumberedColumn;

/**
 * What file statistics would tell of rows left and right of each cut of a column, for all cuts at
 * once: cut {@code i} has the parts up to {@code i} on its left, the others on its right.
 */
final class PartBounds {
  private final int parts;
  private final int[] min;
  private final int[] max;
  private final boolean[] nulls;

  private PartBounds(int columns, int parts) {
    this.parts = parts;
    min = new int[columns * parts];
    max = new int[columns * parts];
    nulls = new boolean[columns * parts];
  }

  private PartBounds(PartBounds other) {
    parts = other.parts;
    min = other.min.clone();
    max = other.max.clone();
    nulls = other.nulls.clone();
  }

  /**
   * The bounds of each part alone.
   *
   * @param measured the columns to look at
   * @param rows part by part
   * @param starts of each part among the rows, and their end
   */
  static PartBounds of(NumberedColumn[] columns, int[] measured, int[] rows, int[] starts) {
    PartBounds bounds = new PartBounds(columns.length, starts.length - 1);
    for (int c : measured) {
      for (int part = 0; part < bounds.parts; part++) {
        columns[c].bound(
            rows,
            starts[part],
            starts[part + 1],
            c * bounds.parts + part,
            bounds.min,
            bounds.max,
            bounds.nulls);
      }
    }
    return bounds;
  }

  /** Those of each part and all before it. */
  PartBounds left(int[] measured) {
    PartBounds left = new PartBounds(this);
    for (int c : measured) {
      for (int at = c * parts + 1; at < (c + 1) * parts; at++) {
        left.add(at, at - 1);
      }
    }
    return left;
  }

  /** Those of each part and all after it. */
  PartBounds right(int[] measured) {
    PartBounds right = new PartBounds(this);
    for (int c : measured) {
      for (int at = (c + 1) * parts - 2; at >= c * parts; at--) {
        right.add(at, at + 1);
      }
    }
    return right;
  }

  private void add(int at, int other) {
    min[at] = Math.min(min[at], min[other]);
    max[at] = Math.max(max[at], max[other]);
    nulls[at] |= nulls[other];
  }

  int min(int c, int part) {
    return min[c * parts + part];
  }

  int max(int c, int part) {
    return max[c * parts + part];
  }

  private boolean meets(NumberedQueries.Condition condition, int part) {
    int at = condition.column * parts + part;
    return condition.meets(min[at], max[at], nulls[at]);
  }

  /**
   * The first part, from one on, that a box meets where bounds grow from part to part; {@code end}
   * if none before it is.
   */
  int first(NumberedQueries.Condition[] box, int end) {
    int low = 0;
    for (NumberedQueries.Condition condition : box) {
      if (low < end && !meets(condition, low)) {
        int high = end;
        low++;
        while (low < high) {
          int middle = (low + high) >>> 1;
          if (meets(condition, middle)) {
            high = middle;
          } else {
            low = middle + 1;
          }
        }
      }
    }
    return low;
  }

  /**
   * The last part that a box meets where bounds shrink from part to part; {@code before} if none
   * after it is.
   */
  int last(NumberedQueries.Condition[] box, int before) {
    int high = parts - 1;
    for (NumberedQueries.Condition condition : box) {
      if (high > before && !meets(condition, high)) {
        int low = before;
        high--;
        while (low < high) {
          int middle = (low + high + 1) >>> 1;
          if (meets(condition, middle)) {
            low = middle;
          } else {
            high = middle - 1;
          }
        }
      }
    }
    return high;
  }
}
