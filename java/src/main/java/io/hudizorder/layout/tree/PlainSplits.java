package io.hudizorder.layout.tree;

import static java.util.Comparator.comparingDouble;
import static java.util.Comparator.comparingInt;

import io.hudizorder.layout.split.Box;
import io.hudizorder.layout.split.FileFill;
import io.hudizorder.layout.split.NodeCuts;
import io.hudizorder.layout.split.NodePlan;
import io.hudizorder.layout.split.NumberedColumn;
import io.hudizorder.layout.split.Split;
import io.hudizorder.layout.split.SplitCriterion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * How nodes of a growing tree are split by what their columns weigh, when nothing is known of
 * queries:
 *
 * <ol>
 *   <li>Each column is tried at the cut that the node's {@link NodePlan} wants, and at the quarters
 *       of the rows.
 *   <li>Each cut is judged by what queries will touch of its two sides ({@link
 *       SplitCriterion#forecast}). Both boxes are measured, not modelled, so that ties, nulls,
 *       constants and correlated columns need no care of their own: they show in what a cut gains.
 *   <li>The first cut of the plan is taken unless another is clearly better. Among independent
 *       columns none is, and the files form a grid.
 * </ol>
 */
final class PlainSplits {
  /**
   * How far files may be off the mean, either way, as a ratio. The rest of the way to 0.7 and 1.4
   * is left to chance: the sample is not the table.
   */
  private static final double UNEVEN = 1.2;

  /** The same below cuts for queries, which need not be as even ({@link FileFill}). */
  private static final double MOST_UNEVEN = 1.4;

  /** Lets a side be as uneven as it likes, except that a side of no rows is infinitely uneven. */
  private static final double ANY_BUT_EMPTY = Double.MAX_VALUE;

  /** The ratio to the plan's forecast that overrules the plan; what is nearer may be chance. */
  private static final double CLEARLY_BETTER = 0.98;

  /**
   * The ratio to an even split's forecast for which a file that is hardly filled is no price: of
   * the few values of a column that is mostly null every file would have some.
   */
  private static final double WORTH_A_SMALL_FILE = 0.8;

  /** A file that is hardly filled has so much of a full one at least. */
  private static final double LEAST_FILL = 1.0 / 16;

  private static final int TARGETS = 4;

  private final NodeCuts cuts;

  /** Skipping on the columns that have a weight. */
  private final SplitCriterion skipping;

  /** Telling rows apart by the columns that have none. */
  private final SplitCriterion evenness;

  /** How uneven files may be, and what if none are as even as that. */
  private final double[] unevenness;

  /**
   * Splits for a tree.
   *
   * @param rows most that a node is judged by
   * @param asked whether nodes above may have been cut for queries
   */
  PlainSplits(NumberedColumn[] columns, double[] weights, int rows, boolean asked) {
    cuts = new NodeCuts(columns, rows, TARGETS);
    skipping = new SplitCriterion(weights);
    evenness =
        new SplitCriterion(Arrays.stream(weights).map(weight -> weight > 0 ? 0 : 1).toArray());
    unevenness =
        asked
            ? new double[] {UNEVEN, MOST_UNEVEN, ANY_BUT_EMPTY}
            : new double[] {UNEVEN, ANY_BUT_EMPTY};
  }

  /**
   * The split of a node: an even one if there is any, for skipping if it can be; null if none.
   *
   * @param files how many it fills, at least 2
   * @param perFile how many of the rows from and to fill a file in the mean
   */
  Split choose(int from, int to, int files, double perFile) {
    for (double uneven : unevenness) {
      for (SplitCriterion criterion : new SplitCriterion[] {skipping, evenness}) {
        Split split = new Node(from, to, files, criterion).split(perFile, uneven);
        if (split != null) {
          return split;
        }
      }
    }
    return null;
  }

  /** A node as one criterion sees it. */
  private final class Node {
    private final int from;
    private final int to;
    private final int files;
    private final SplitCriterion criterion;
    private final NodePlan plan;

    /** What queries would touch were it not split by what they ask for. */
    private final double whole;

    Node(int from, int to, int files, SplitCriterion criterion) {
      this.from = from;
      this.to = to;
      this.files = files;
      this.criterion = criterion;
      Box box = cuts.whole(from, to, criterion.columns());
      whole = files * criterion.forecast(box, 1); // before cuts use the box again
      plan = new NodePlan(box, files, criterion);
    }

    /**
     * Its split, or null.
     *
     * @param uneven how far files may be off the mean
     */
    Split split(double perFile, double uneven) {
      List<Split> even = new ArrayList<>();
      List<Split> underfull = new ArrayList<>();
      Split planned = null;
      for (int i = 0; i < plan.length(); i++) {
        int wanted = position(plan.leftFiles(i));
        List<Split> tried = splits(plan.column(i), wanted);
        List<Split> evenOnes = where(tried, split -> split.unevenness(perFile) <= uneven);
        if (planned == null) {
          planned = nearest(evenOnes, wanted);
        }
        even.addAll(evenOnes);
        underfull.addAll(where(tried, split -> isUnderfull(split, perFile, uneven)));
      }
      Split best = best(even);
      Split small = best(underfull);
      double otherwise = best == null ? whole : best.forecast();
      if (small != null && small.forecast() < WORTH_A_SMALL_FILE * otherwise) {
        return small;
      }
      return best != null && best.forecast() < CLEARLY_BETTER * planned.forecast() ? best : planned;
    }

    /** A column's cuts at the wanted position and at the quarters of the node. */
    private List<Split> splits(int c, int wanted) {
      int[] targets =
          IntStream.concat(
                  IntStream.of(wanted),
                  IntStream.of(files / 4, files / 2, files - files / 4)
                      .filter(leftFiles -> leftFiles > 0 && leftFiles < files)
                      .map(this::position))
              .sorted()
              .distinct()
              .toArray();
      cuts.cut(from, to, c, targets, criterion.columns());
      List<Split> splits = new ArrayList<>();
      for (int cut = 0; cut < cuts.count(); cut++) {
        splits.add(new Split(cuts, cut, c, files, criterion));
      }
      return splits;
    }

    /** How many of its rows fill so many of its files. */
    private int position(int leftFiles) {
      return (int) ((long) (to - from) * leftFiles / files);
    }

    /** Whether nulls are on one side, too few for a file, and values on the other. */
    private boolean isUnderfull(Split split, double perFile, double uneven) {
      return criterion == skipping
          && split.number() == 0
          && split.unevenness(perFile) > uneven
          && split.fullest(perFile) <= uneven
          && split.emptiest(perFile) >= LEAST_FILL;
    }
  }

  private static List<Split> where(List<Split> splits, Predicate<Split> holds) {
    return splits.stream().filter(holds).collect(Collectors.toList());
  }

  private static Split nearest(List<Split> splits, int wanted) {
    return least(splits, comparingInt(split -> Math.abs(split.leftRows() - wanted)));
  }

  /** The least forecast. */
  private static Split best(List<Split> splits) {
    return least(splits, comparingDouble(Split::forecast));
  }

  /** Of equal ones the first that was tried; null of none. */
  private static Split least(List<Split> splits, Comparator<Split> order) {
    return splits.stream().min(order).orElse(null);
  }
}
