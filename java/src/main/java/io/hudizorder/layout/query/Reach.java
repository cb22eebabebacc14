package io.hudizorder.layout.query;

import io.hudizorder.layout.split.NumberedColumn;

/**
 * How far values reach in the rows of a table that some rows are a sample of. Few of a sample lie
 * near the ends of a column, and in a part of it there may be none: a file has many times its rows.
 */
final class Reach {
  private final int[] min;
  private final int[] max;
  private final boolean[] nulls;

  /** As far as the sample tells; places are those of the arrays. */
  Reach(int[] min, int[] max, boolean[] nulls) {
    this.min = min.clone();
    this.max = max.clone();
    this.nulls = nulls.clone();
  }

  /**
   * Widens a place to what its rows lack by chance.
   *
   * @param rows how many there are
   */
  void widen(NumberedColumn column, int at, int rows) {
    widen(
        at,
        new boolean[] {
          column.mayReachBelow(min[at], rows),
          column.mayReachAbove(max[at], rows),
          column.mayHoldNull(rows)
        });
  }

  /**
   * Widens a place.
   *
   * @param wide whether to all below, to all above, and to nulls
   */
  void widen(int at, boolean[] wide) {
    min[at] = wide[0] ? Integer.MIN_VALUE : min[at];
    max[at] = wide[1] ? Integer.MAX_VALUE : max[at];
    nulls[at] |= wide[2];
  }

  boolean mayMeet(NumberedQueries.Condition condition, int at) {
    return condition.meets(min[at], max[at], nulls[at]);
  }
}
