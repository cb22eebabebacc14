package io.hudizorder.plan.upkeep;

import java.util.List;

/**
 * Values that fill files by themselves, such as each of few texts, or one that most rows have, and
 * nulls: no layout cuts a column within them. Files tell of them once rows are laid out.
 */
final class HotValues {

  /** Files that span more of a column are not cut by it, and tell nothing of its values. */
  private static final double TELLING = 0.5;

  /** Which part of the partition's rows are nulls. */
  private final double[] nulls;

  /** What the values below each rank are of the rows that have one, together. */
  private final double[][] shares;

  /** The squares of their shares. */
  private final double[][] squares;

  /**
   * @param fileBytes of a full file; a value of fewer bytes sets no limit to a layout
   */
  HotValues(FileBoxes boxes, List<FileNumbers> files, int columns, long fileBytes) {
    nulls = new double[columns];
    shares = new double[columns][];
    squares = new double[columns][];
    for (int c = 0; c < columns; c++) {
      double[] bytes = new double[boxes.ranks(c)];
      double without = 0;
      double all = 0;
      double telling = 0;
      for (int f = 0; f < files.size(); f++) {
        long size = files.get(f).bytes();
        int value = boxes.onlyValue(c, f);
        if (files.get(f).range(c) == FileNumbers.NO_VALUES) {
          without += size;
        } else {
          if (value >= 0) {
            bytes[value] += size;
          }
          all += size;
          telling += value >= 0 || boxes.span(c, f) <= TELLING ? size : 0;
        }
      }
      double values = Math.max(all / 2, telling);
      nulls[c] = without / Math.max(1, without + values);
      sum(c, bytes, fileBytes, values);
    }
  }

  /** What the rows between two ranks, which span so much, have of a column. */
  ColumnPart part(int column, int from, int to, double span, double least) {
    double hot = shares[column][to + 1] - shares[column][from];
    double square = squares[column][to + 1] - squares[column][from];
    double none = from == 0 ? nulls[column] : 0;
    return new ColumnPart(
        span,
        least,
        hot,
        square / Math.max(Double.MIN_NORMAL, hot),
        none / Math.max(Double.MIN_NORMAL, none + (1 - none) * span));
  }

  private void sum(int c, double[] bytes, long fileBytes, double of) {
    shares[c] = new double[bytes.length + 1];
    squares[c] = new double[bytes.length + 1];
    for (int rank = 0; rank < bytes.length; rank++) {
      double share = bytes[rank] > fileBytes ? bytes[rank] / of : 0;
      shares[c][rank + 1] = shares[c][rank] + share;
      squares[c][rank + 1] = squares[c][rank] + share * share;
    }
  }
}
