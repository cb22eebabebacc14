package io.hudizorder.plan.upkeep;

import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The ranges that files of a partition have in each sort column, as shares of the partition's rows
 * that have a value there.
 *
 * <p>Values of any type are compared once, when they are ranked among all ends of ranges. A file's
 * rows are taken to lie evenly over the ends in its range: there are many where rows are many.
 */
final class FileBoxes {

  /** A weight is above 0. */
  private static final double LEAST_SPAN = 1e-9;

  private final int[][] first;
  private final int[][] last;

  /** What lies before each rank, as a share of all bytes. */
  private final double[][] before;

  private final double[] least;

  /**
   * @param files of one partition; a range that nobody knows is the whole column
   */
  FileBoxes(List<FileNumbers> files, int columns) {
    first = new int[columns][files.size()];
    last = new int[columns][files.size()];
    before = new double[columns][];
    least = new double[columns];
    for (int c = 0; c < columns; c++) {
      int column = c;
      Object[] ends =
          files.stream()
              .flatMap(file -> file.range(column).stream())
              .filter(Objects::nonNull)
              .sorted()
              .distinct()
              .toArray();
      boolean nulls = files.stream().anyMatch(file -> file.range(column) == FileNumbers.NO_VALUES);
      before[c] = before(files, c, ends, nulls ? 1 : 0);
      least[c] = ends.length == 0 ? 1 : 1 / values(ends[0], ends[ends.length - 1]);
    }
  }

  /**
   * @param nulls ranks below those of values
   */
  private double[] before(List<FileNumbers> files, int c, Object[] ends, int nulls) {
    int ranks = Math.max(1, nulls + ends.length);
    double[] density = new double[ranks + 1];
    double total = 0;
    for (int f = 0; f < files.size(); f++) {
      FileNumbers file = files.get(f);
      List<Comparable<?>> range = file.range(c);
      if (range == FileNumbers.NO_VALUES) {
        continue; // with the first rank, and nothing that an equality asks for
      }
      first[c][f] = range.isEmpty() ? 0 : nulls + Arrays.binarySearch(ends, range.get(0));
      last[c][f] = range.isEmpty() ? ranks - 1 : nulls + Arrays.binarySearch(ends, range.get(1));
      double each = (double) file.bytes() / (last[c][f] - first[c][f] + 1);
      density[first[c][f]] += each;
      density[last[c][f] + 1] -= each;
      total += file.bytes();
    }
    double[] sums = new double[ranks + 1];
    double here = 0;
    for (int rank = 0; rank < ranks; rank++) {
      here += density[rank];
      sums[rank + 1] = sums[rank] + here / Math.max(1, total);
    }
    return sums;
  }

  /** How many values there are at most, as far as their type says. */
  private static double values(Object low, Object high) {
    if (low instanceof Long) {
      return (double) (Long) high - (Long) low + 1;
    }
    if (low instanceof LocalDate) {
      return (double) ((LocalDate) high).toEpochDay() - ((LocalDate) low).toEpochDay() + 1;
    }
    return low instanceof Boolean ? 2 : Double.MAX_VALUE;
  }

  /** The least share of a column that a file can have, as far as the column's type says. */
  double least(int column) {
    return least[column];
  }

  /** How many ends of ranges there are. */
  int ranks(int column) {
    return before[column].length - 1;
  }

  /** The rank of the value that all rows of a file have; -1 where they have several. */
  int onlyValue(int column, int file) {
    return first[column][file] == last[column][file] ? first[column][file] : -1;
  }

  /** The share of the partition's rows in a file's range. */
  double span(int column, int file) {
    return before[column][last[column][file] + 1] - before[column][first[column][file]];
  }

  /** The share of the partition's rows, column by column, in the range that holds all of these. */
  double[] spans(List<Integer> files) {
    return spans(ends(files));
  }

  /** The same between ends. */
  double[] spans(int[][] ends) {
    double[] spans = new double[first.length];
    for (int c = 0; c < spans.length; c++) {
      int to = ends[c][1];
      spans[c] = to < 0 ? 0 : Math.min(1, before[c][to + 1] - before[c][ends[c][0]]);
    }
    return spans;
  }

  /** The first and the last rank in the range that holds all of these, column by column. */
  int[][] ends(List<Integer> files) {
    int[][] ends = new int[first.length][];
    for (int c = 0; c < ends.length; c++) {
      int from = Integer.MAX_VALUE;
      int to = -1;
      for (int file : files) {
        from = Math.min(from, first[c][file]);
        to = Math.max(to, last[c][file]);
      }
      ends[c] = new int[] {from, to};
    }
    return ends;
  }

  /** Whether two files lie over each other in every column, by more than the end of a range. */
  boolean meet(int one, int other) {
    for (int c = 0; c < first.length; c++) {
      int from = Math.max(first[c][one], first[c][other]);
      int to = Math.min(last[c][one], last[c][other]);
      boolean wide = first[c][one] < last[c][one] && first[c][other] < last[c][other];
      if (wide ? from >= to : from > to) {
        return false;
      }
    }
    return true;
  }

  /** Where a file's range begins in the first column, among all. */
  int begin(int file) {
    return first[0][file];
  }

  /** Where the middle of a file's range lies, as a share of the partition's rows. */
  double middle(int column, int file) {
    return (before[column][first[column][file]] + before[column][last[column][file] + 1]) / 2;
  }

  /**
   * Weights for rows that span so much of each column. An equality meets no file of rows that span
   * but a part of a column, where it asks for another part: of all queries on the column, so many
   * fewer are served by cutting these rows by it.
   */
  static double[] weightsBySpans(double[] weights, double[] spans) {
    double[] scaled = weights.clone();
    for (int c = 0; c < scaled.length; c++) {
      scaled[c] *= Math.max(spans[c], LEAST_SPAN);
    }
    return scaled;
  }
}
