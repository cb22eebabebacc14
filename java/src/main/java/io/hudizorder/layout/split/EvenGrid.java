package io.hudizorder.layout.split;

/**
 * The most even grid of a box: so many cells of equal content whose sides add up to the least.
 *
 * <p>The sides of a cell that cost the least are equal (of all boxes of a volume the cube has the
 * least mean side), except that a box is not cut along a side that is shorter than the cell anyway.
 */
final class EvenGrid {
  private final double[] sides;
  private final int count;

  /** The shortest side that is cut. */
  private final int first;

  private final double cellSide;

  /**
   * Fits a grid into a box.
   *
   * @param sides of the box, ascending, above 0; the grid keeps the array
   * @param count how many sides there are, at least 1
   * @param cells how many cells to make
   * @param leastIntervals how many cell sides a side must measure, at least, to be cut
   */
  EvenGrid(double[] sides, int count, int cells, double leastIntervals) {
    this.sides = sides;
    this.count = count;
    // StrictMath, so that a sample gives the same tree on every machine.
    double logContent = -StrictMath.log(cells);
    for (int i = 0; i < count; i++) {
      logContent += StrictMath.log(sides[i]);
    }
    int shortest = 0;
    while (shortest < count - 1
        && StrictMath.log(sides[shortest] / leastIntervals) * (count - shortest) < logContent) {
      logContent -= StrictMath.log(sides[shortest++]);
    }
    first = shortest;
    cellSide = StrictMath.exp(logContent / (count - first));
  }

  /** The shortest side that is cut; those before it are too short. */
  int first() {
    return first;
  }

  /** Into how many intervals a side is cut, in the mean of all cells. */
  double intervals(int side) {
    return side < first ? 1 : sides[side] / cellSide;
  }

  /** The sum of all sides of a cell. */
  double sumOfCellSides() {
    double sum = cellSide * (count - first);
    for (int i = 0; i < first; i++) {
      sum += sides[i];
    }
    return sum;
  }
}
