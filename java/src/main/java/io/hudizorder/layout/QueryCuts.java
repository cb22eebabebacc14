package io.hudizorder.layout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Where to split a node for given queries: at their own literals and at quantiles of the rows, as a
 * greedy qd-tree does (Z. Yang et al., "Qd-tree: learning data layouts for big data analytics",
 * SIGMOD 2020), with a look further down.
 *
 * <p>A split is judged by the sum over the queries of weight times rows on the sides they touch. A
 * side is touched where the intervals of its rows meet a box of the query in every column, those
 * that were not cut included, since these are what file statistics will hold. Left of a cut the
 * intervals grow from one cut of a column to the next, and right of it they shrink: for each box
 * one binary search finds the first cut at which it meets the left side, one the last at which it
 * meets the right one, so that all cuts of a column are judged together.
 */
final class QueryCuts {
  /** A cut, and what it gains. */
  static final class Cut {
    final int column;

    /** The least number that goes right. */
    final int number;

    /** The least word that goes right, sign bit flipped. */
    final long word;

    final int leftFiles;

    /** What is touched of both sides: weight times rows. */
    final double touched;

    Cut(int column, int number, long word, int leftFiles, double touched) {
      this.column = column;
      this.number = number;
      this.word = word;
      this.leftFiles = leftFiles;
      this.touched = touched;
    }
  }

  private static final double[] QUANTILES = {0.25, 1.0 / 3, 0.5, 2.0 / 3, 0.75};

  /** Of columns no more are tried than those of which cuts may take most away. */
  private static final int MOST_COLUMNS = 12;

  private final NumberedColumn[] columns;
  private final NumberedQueries queries;

  /** By column: what an equality with any of its values weighs, however often it is asked. */
  private final double[] equality;

  private final double uneven;

  QueryCuts(NumberedColumn[] columns, NumberedQueries queries, double[] equality, double uneven) {
    this.columns = columns;
    this.queries = queries;
    this.equality = equality;
    this.uneven = uneven;
  }

  Intervals intervals(int[] rows, int from, int to) {
    Intervals all = new Intervals(columns.length);
    for (int c = 0; c < columns.length; c++) {
      for (int i = from; i < to; i++) {
        all.add(c, columns[c].number(rows[i]));
      }
    }
    return all;
  }

  /** What queries and equalities touch of rows that share their intervals. */
  double touched(int[] boxes, Intervals node, int rows) {
    double weight = queries.weigh(boxes);
    for (int c = 0; c < columns.length; c++) {
      weight += equality(c, node);
    }
    return weight * rows;
  }

  private double equality(int c, Intervals rows) {
    return equality[c] == 0 || rows.max(c) < 0
        ? 0
        : equality[c] * columns[c].share(rows.min(c), rows.max(c));
  }

  /**
   * The cuts of a node, those that leave least to be touched first.
   *
   * @param rowsPerFile how many of such rows a file should get
   * @param boxes those that meet the node
   * @param literals of a column are taken from so many parts of the rows, one from each
   */
  List<Cut> cuts(
      int[] rows,
      int from,
      int to,
      int files,
      double rowsPerFile,
      int[] boxes,
      Intervals node,
      int literals) {
    double[] demand = demand(boxes, node);
    int[] measured =
        IntStream.range(0, columns.length).filter(c -> !Double.isNaN(demand[c])).toArray();
    int[] tried =
        Arrays.stream(measured)
            .filter(c -> demand[c] > 0)
            .boxed()
            .sorted(Comparator.comparingDouble(c -> -demand[c]))
            .limit(MOST_COLUMNS)
            .mapToInt(c -> c)
            .toArray();
    List<Cut> all = new ArrayList<>();
    for (int c : tried) {
      cutsOf(c, rows, from, to, files, rowsPerFile, boxes, node, measured, literals, all);
    }
    all.sort(Comparator.comparingDouble(cut -> cut.touched));
    return all;
  }

  /**
   * By column, the weight of what a cut may take away: of boxes that take some of a node's values
   * and not all. Not a number where nobody asks.
   */
  private double[] demand(int[] boxes, Intervals node) {
    double[] demand = new double[columns.length];
    Arrays.fill(demand, Double.NaN);
    for (int box : boxes) {
      for (NumberedQueries.Condition condition : queries.conditions(box)) {
        int c = condition.column;
        double parted = condition.takesAll(node) ? 0 : queries.weight(box);
        demand[c] = parted + (Double.isNaN(demand[c]) ? 0 : demand[c]);
      }
    }
    for (int c = 0; c < columns.length; c++) {
      if (equality[c] > 0) {
        double whole = node.max(c) > node.min(c) ? equality(c, node) : 0;
        demand[c] = whole + (Double.isNaN(demand[c]) ? 0 : demand[c]);
      }
    }
    return demand;
  }

  private void cutsOf(
      int c,
      int[] rows,
      int from,
      int to,
      int files,
      double rowsPerFile,
      int[] boxes,
      Intervals node,
      int[] measured,
      int literals,
      List<Cut> all) {
    int n = to - from;
    int[] sorted = new int[n];
    for (int i = 0; i < n; i++) {
      sorted[i] = columns[c].number(rows[from + i]);
    }
    Arrays.sort(sorted);
    Candidates candidates = new Candidates(columns[c], sorted, files, rowsPerFile, uneven);
    for (double quantile : QUANTILES) {
      candidates.addQuantile(quantile);
    }
    for (int box : boxes) {
      for (NumberedQueries.Condition condition : queries.conditions(box)) {
        if (condition.column == c) {
          candidates.addLiterals(condition, queries.weight(box), node);
        }
      }
    }
    candidates.finish(literals);
    int count = candidates.count();
    if (count == 0) {
      return;
    }
    Intervals[] left = new Intervals[count + 1];
    Intervals[] right = new Intervals[count + 1];
    for (int part = 0; part <= count; part++) {
      left[part] = new Intervals(columns.length);
      right[part] = new Intervals(columns.length);
    }
    int[] partOf = new int[n];
    for (int i = 0; i < n; i++) {
      partOf[i] = candidates.partOf(columns[c].number(rows[from + i]));
    }
    for (int m : measured) {
      NumberedColumn column = columns[m];
      for (int i = 0; i < n; i++) {
        left[partOf[i]].add(m, column.number(rows[from + i]));
      }
    }
    right[count].add(left[count], measured);
    for (int part = count - 1; part >= 1; part--) {
      right[part].add(left[part], measured);
      right[part].add(right[part + 1], measured);
    }
    for (int part = 1; part < count; part++) {
      left[part].add(left[part - 1], measured);
    }
    // Left of cut i lie the parts up to i, right of it those from i + 1.
    double[] leftWeight = new double[count + 1];
    double[] rightWeight = new double[count + 1];
    for (int i = 0; i < boxes.length; ) {
      int owner = queries.owner(boxes[i]);
      double weight = queries.weight(boxes[i]);
      int first = count;
      int last = -1;
      for (; i < boxes.length && queries.owner(boxes[i]) == owner; i++) {
        NumberedQueries.Condition[] conditions = queries.conditions(boxes[i]);
        first = Math.min(first, firstLeft(conditions, left, first));
        last = Math.max(last, lastRight(conditions, right, last, count));
      }
      leftWeight[first] += weight;
      if (last >= 0) {
        rightWeight[last] += weight;
      }
    }
    for (int i = 1; i < count; i++) {
      leftWeight[i] += leftWeight[i - 1];
    }
    for (int i = count - 2; i >= 0; i--) {
      rightWeight[i] += rightWeight[i + 1];
    }
    for (int i = 0; i < count; i++) {
      double l = leftWeight[i];
      double r = rightWeight[i];
      for (int m : measured) {
        l += equality(m, left[i]);
        r += equality(m, right[i + 1]);
      }
      int position = candidates.leftRows(i);
      double touched = l * position + r * (n - position);
      all.add(
          new Cut(c, candidates.number(i), candidates.word(i), candidates.leftFiles(i), touched));
    }
  }

  private static boolean meets(NumberedQueries.Condition[] conditions, Intervals rows) {
    for (NumberedQueries.Condition condition : conditions) {
      int c = condition.column;
      if (!condition.meets(rows.min(c), rows.max(c), rows.nulls(c))) {
        return false;
      }
    }
    return true;
  }

  /** The first cut whose left side a box meets, or the given one if none before it is. */
  private static int firstLeft(
      NumberedQueries.Condition[] conditions, Intervals[] left, int before) {
    int low = 0;
    int high = before;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (meets(conditions, left[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** The last cut whose right side a box meets, or the given one if none after it is. */
  private static int lastRight(
      NumberedQueries.Condition[] conditions, Intervals[] right, int after, int count) {
    int low = after;
    int high = count - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (meets(conditions, right[middle + 1])) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}
