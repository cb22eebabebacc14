package io.hudizorder.layout.split;

/** One way to split a node of a growing tree in two. */
public final class Split {
  private final int column;
  private final int number;
  private final int leftRows;
  private final int rightRows;
  private final int leftFiles;
  private final int rightFiles;
  private final double forecast;

  /**
   * The split at one cut of a node, its files shared out by the rows on both sides.
   *
   * @param column the column that the cuts cut
   * @param files how many the node fills, at least 2
   */
  public Split(NodeCuts cuts, int cut, int column, int files, SplitCriterion criterion) {
    Box left = cuts.left(cut);
    Box right = cuts.right(cut);
    this.column = column;
    number = cuts.number(cut);
    leftRows = left.rows();
    rightRows = right.rows();
    leftFiles = leftFiles(files, leftRows, rightRows);
    rightFiles = files - leftFiles;
    forecast =
        leftFiles * criterion.forecast(left, leftFiles)
            + rightFiles * criterion.forecast(right, rightFiles);
  }

  /** How many of a node's files the rows on the left fill: at least one, and not all. */
  public static int leftFiles(int files, int leftRows, int rightRows) {
    long share = Math.round((double) leftRows * files / (leftRows + rightRows));
    return (int) Math.max(1, Math.min(files - 1, share));
  }

  public int column() {
    return column;
  }

  /** The least number of the column that goes right. */
  public int number() {
    return number;
  }

  /** How many of the rows that were judged go left. */
  public int leftRows() {
    return leftRows;
  }

  /** What queries will touch of all files on both sides; the less the better. */
  public double forecast() {
    return forecast;
  }

  /** How full the files of the fuller side will be, as a ratio to the mean of all files. */
  public double fullest(double rowsPerFile) {
    return Math.max(left(rowsPerFile), right(rowsPerFile));
  }

  /** The same of the other side. */
  public double emptiest(double rowsPerFile) {
    return Math.min(left(rowsPerFile), right(rowsPerFile));
  }

  /** How far the files of a side will be off the mean of all files, either way, as a ratio. */
  public double unevenness(double rowsPerFile) {
    return Math.max(fullest(rowsPerFile), 1 / emptiest(rowsPerFile));
  }

  private double left(double rowsPerFile) {
    return leftRows / (leftFiles * rowsPerFile);
  }

  private double right(double rowsPerFile) {
    return rightRows / (rightFiles * rowsPerFile);
  }
}
