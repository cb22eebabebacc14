package io.hudizorder.layout.query;

import io.hudizorder.layout.split.FileFill;
import io.hudizorder.layout.split.NumberedColumn;
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
  private final NumberedColumn[] columns;
  private final NumberedQueries queries;

  /** By column: what an equality with any of its values weighs, however often it is asked. */
  private final double[] equality;

  private final FileFill fill;

  QueryCuts(NumberedColumn[] columns, NumberedQueries queries, double[] equality, FileFill fill) {
    this.columns = columns;
    this.queries = queries;
    this.equality = equality;
    this.fill = fill;
  }

  /**
   * Rows that are to be cut.
   *
   * @param boxes of which some may meet them
   */
  QueryNode node(
      int[] rows, int from, int to, int judged, int files, double rowsPerFile, int[] boxes) {
    Intervals bounds = new Intervals(columns, rows, from, from + judged);
    int[] met = queries.meeting(boxes, bounds);
    return new QueryNode(rows, from, to, judged, files, rowsPerFile, met, bounds);
  }

  /** What queries and equalities touch of a node that is left whole. */
  double touched(QueryNode node) {
    double weight = queries.weigh(node.boxes);
    for (int c = 0; c < columns.length; c++) {
      weight += equality(c, node.bounds.min(c), node.bounds.max(c));
    }
    return weight * node.size();
  }

  private double equality(int c, int min, int max) {
    return equality[c] == 0 || max < 0 ? 0 : equality[c] * columns[c].share(min, max);
  }

  /**
   * The cuts of a node, those that leave least to be touched first.
   *
   * @param most how many columns to cut, those of which cuts may take most away
   * @param literals of a column are taken from so many parts of the rows, one from each
   */
  List<QueryCut> cuts(QueryNode node, int most, int literals) {
    double[] demand = demand(node);
    int[] measured =
        IntStream.range(0, columns.length).filter(c -> !Double.isNaN(demand[c])).toArray();
    int[] tried =
        Arrays.stream(measured)
            .filter(c -> demand[c] > 0)
            .boxed()
            .sorted(Comparator.comparingDouble(c -> -demand[c]))
            .limit(most)
            .mapToInt(c -> c)
            .toArray();
    List<QueryCut> all = new ArrayList<>();
    boolean[] asked = asked(node);
    for (int c : tried) {
      SortedRows sorted = new SortedRows(columns[c], node.rows, node.from, node.to);
      Candidates candidates = new Candidates(columns[c], sorted, node, fill, literals);
      candidates.find(queries.literals(c), queries, asked, literals);
      if (candidates.count() > 0) {
        judge(node, c, candidates, judged(node, c, sorted), measured, all);
      }
    }
    all.sort(Comparator.comparingDouble(QueryCut::touched));
    return all;
  }

  /** Those of a node's rows by which it is judged. */
  private SortedRows judged(QueryNode node, int c, SortedRows all) {
    return node.judged == all.size()
        ? all
        : new SortedRows(columns[c], node.rows, node.from, node.from + node.judged);
  }

  /** By box, whether it is one of a node's. */
  private boolean[] asked(QueryNode node) {
    boolean[] asked = new boolean[queries.boxes()];
    for (int box : node.boxes) {
      asked[box] = true;
    }
    return asked;
  }

  /**
   * By column, the weight of what a cut may take away: of boxes that take some of a node's values
   * and not all. Not a number where nobody asks.
   */
  private double[] demand(QueryNode node) {
    double[] demand = new double[columns.length];
    Arrays.fill(demand, Double.NaN);
    for (int box : node.boxes) {
      for (NumberedQueries.Condition condition : queries.conditions(box)) {
        int c = condition.column;
        double parted = condition.takesAll(node.bounds) ? 0 : queries.weight(box);
        demand[c] = parted + (Double.isNaN(demand[c]) ? 0 : demand[c]);
      }
    }
    for (int c = 0; c < columns.length; c++) {
      if (equality[c] > 0) {
        int min = node.bounds.min(c);
        int max = node.bounds.max(c);
        demand[c] =
            (max > min ? equality(c, min, max) : 0) + (Double.isNaN(demand[c]) ? 0 : demand[c]);
      }
    }
    return demand;
  }

  /**
   * @param sorted the rows by which the node is judged, by their numbers in the column
   */
  private void judge(
      QueryNode node,
      int c,
      Candidates candidates,
      SortedRows sorted,
      int[] measured,
      List<QueryCut> judged) {
    int count = candidates.count();
    int[] starts = new int[count + 2];
    for (int cut = 0; cut < count; cut++) {
      starts[cut + 1] = sorted.below(candidates.number(cut));
    }
    starts[count + 1] = sorted.size();
    PartBounds parts = PartBounds.of(columns, measured, sorted.rows, starts);
    PartBounds left = parts.left(measured);
    PartBounds right = parts.right(measured);
    // By cut: what meets its left side and that of none before; its right side and of none after.
    double[] leftWeight = new double[count + 1];
    double[] rightWeight = new double[count + 1];
    int[] boxes = node.boxes;
    for (int i = 0; i < boxes.length; ) {
      int owner = queries.owner(boxes[i]);
      double weight = queries.weight(boxes[i]);
      int first = count;
      int last = 0;
      for (; i < boxes.length && queries.owner(boxes[i]) == owner; i++) {
        NumberedQueries.Condition[] conditions = queries.conditions(boxes[i]);
        first = left.first(conditions, first);
        last = right.last(conditions, last);
      }
      leftWeight[first] += weight;
      if (last > 0) {
        rightWeight[last - 1] += weight;
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
        l += equality(m, left.min(m, i), left.max(m, i));
        r += equality(m, right.min(m, i + 1), right.max(m, i + 1));
      }
      int position = candidates.leftRows(i);
      double touched = l * position + r * (node.size() - position);
      judged.add(
          new QueryCut(
              c, candidates.number(i), candidates.word(i), candidates.leftFiles(i), touched));
    }
  }
}
