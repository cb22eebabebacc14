package io.hudizorder.layout.split;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * What a split is judged by: how much queries for one value of a column will touch of the files,
 * for columns of given weights.
 */
public final class SplitCriterion {
  private final double[] weights;
  private final int[] columns;
  private final double[] sides;

  /** Skipping on the columns whose weight is above 0. */
  public SplitCriterion(double[] weights) {
    this.weights = weights;
    columns = IntStream.range(0, weights.length).filter(c -> weights[c] > 0).toArray();
    sides = new double[columns.length];
  }

  /** The columns that matter, ascending. */
  public int[] columns() {
    return columns;
  }

  /** How long a box is along a column, as a grid sees it: what splits can still take away. */
  double side(Box box, int c) {
    return weights[c] * box.reducible(c);
  }

  /**
   * What share of all queries will touch a file, by weight, once the rows in a box are divided into
   * files as evenly as a grid could.
   */
  public double forecast(Box box, int files) {
    double sum = 0;
    int count = 0;
    for (int c : columns) {
      double touched = weights[c] * box.touched(c);
      double side = files == 1 ? 0 : side(box, c);
      sum += touched - side;
      if (side > 0) {
        sides[count++] = side;
      }
    }
    if (count == 0) {
      return sum;
    }
    Arrays.sort(sides, 0, count);
    return sum + new EvenGrid(sides, count, files, 1).sumOfCellSides();
  }
}
