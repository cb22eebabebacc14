package io.hudizorder.layout.split;

/**
 * In which order to split the columns of a node, and in what proportion: Sort-Tile-Recursive
 * (Leutenegger, Lopez and Edgington 1997), one binary split at a time.
 *
 * <p>Files make an even grid when every column but the last is cut into a whole number of
 * intervals, and the last into what is left, a whole number only in the mean. Halving every time
 * loses up to 6 %: 32 files on two columns are better 6 by 5 or 6 than 4 by 8.
 */
public final class NodePlan {
  /** From here on two intervals are nearer to the ideal, in ratio, than one. */
  private static final double LEAST_INTERVALS = Math.sqrt(2);

  private final int files;
  private final int[] order;
  private final double[] intervals;

  /** A plan for a node that is to fill so many files. */
  public NodePlan(Box node, int files, SplitCriterion criterion) {
    this.files = files;
    double[] sides = new double[criterion.columns().length];
    int[] ascending = new int[sides.length];
    int count = 0;
    for (int c : criterion.columns()) {
      double side = criterion.side(node, c);
      if (side > 0) {
        int i = count++;
        for (; i > 0 && sides[i - 1] > side; i--) {
          sides[i] = sides[i - 1];
          ascending[i] = ascending[i - 1];
        }
        sides[i] = side;
        ascending[i] = c;
      }
    }
    order = new int[count];
    intervals = new double[count];
    if (count > 0) {
      EvenGrid grid = new EvenGrid(sides, count, files, LEAST_INTERVALS);
      for (int i = 0; i < count; i++) {
        // The fewest intervals first; columns too short for the grid last, the longest of them
        // first.
        int side = grid.first() + i < count ? grid.first() + i : count - 1 - i;
        order[i] = ascending[side];
        intervals[i] = grid.intervals(side);
      }
    }
  }

  /** The number of columns that can be split. */
  public int length() {
    return order.length;
  }

  /** The column to be split first, second and so on. */
  public int column(int i) {
    return order[i];
  }

  /** How many of the node's files the split of that column should leave on the left. */
  public int leftFiles(int i) {
    // The whole number nearest in ratio: from sqrt(g (g + 1)) on it is g + 1.
    long whole = Math.max(2, Math.round(Math.sqrt(intervals[i] * intervals[i] + 0.25)));
    return (int) Math.max(1, Math.round((double) files * (whole / 2) / whole));
  }
}
