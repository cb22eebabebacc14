package io.hudizorder.layout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Chooses the split of a node for queries.
 *
 * <p>The cut that gains most at once need not be the best: of two columns of an OR neither gains
 * alone, and of a column with seven values the first cut gains less than the next ones. So the best
 * cuts of each column are followed down to the files, by the cuts that then gain most at once, and
 * the one that ends best is taken.
 */
final class QuerySplits {
  /** So many rows of a node are looked at. */
  private static final int JUDGED_ROWS = 4_096;

  /** And so many boxes of queries. */
  private static final int JUDGED_BOXES = 4_000;

  private static final int LITERALS = 32;

  /** The same for what follows a cut. */
  private static final int FOLLOWED_ROWS_PER_FILE = 100;

  private static final int LEAST_FOLLOWED_ROWS = 512;
  private static final int FOLLOWED_BOXES = 600;
  private static final int FOLLOWED_LITERALS = 8;

  /** So many cuts are followed, of one column so many. */
  private static final int FOLLOWED = 12;

  private static final int FOLLOWED_OF_COLUMN = 3;

  /** Fewer where that would take longer: numbers that are looked at for all nodes of a level. */
  private static final double MOST_WORK = 1e9;

  /** What counts as a gain; what is nearer may be chance, or rounding. */
  private static final double GAIN = 1 - 1e-9;

  private final NumberedColumn[] columns;
  private final NumberedQueries queries;
  private final QueryCuts cuts;
  private final int allFiles;
  private final boolean farSighted;

  /**
   * @param files of the whole tree
   */
  QuerySplits(
      NumberedColumn[] columns, List<Query> asked, QueryBlend blend, int files, double uneven) {
    this.columns = columns;
    this.queries = new NumberedQueries(asked, columns);
    this.cuts = new QueryCuts(columns, queries, blend.equality(), uneven);
    this.allFiles = files;
    this.farSighted = blend.farSighted();
  }

  /** The boxes of all queries. */
  int[] all() {
    return queries.all();
  }

  /** Those of some boxes that a node's rows meet. */
  int[] meeting(int[] boxes, int from, int to) {
    int[] rows = IntStream.range(from, to).toArray();
    return queries.meeting(boxes, cuts.intervals(rows, 0, rows.length));
  }

  /**
   * The best cut of a node; null where none gains anything.
   *
   * @param rowsPerFile how many rows a file should get
   * @param boxes those that meet the node
   */
  QueryCuts.Cut choose(int from, int to, int files, double rowsPerFile, int[] boxes) {
    int n = Math.min(to - from, JUDGED_ROWS);
    int[] rows = IntStream.range(from, from + n).toArray();
    Intervals node = cuts.intervals(rows, 0, n);
    int[] some = thinned(boxes, JUDGED_BOXES);
    double perFile = rowsPerFile * n / (to - from);
    List<QueryCuts.Cut> found = cuts.cuts(rows, 0, n, files, perFile, some, node, LITERALS);
    if (found.isEmpty()) {
      return null;
    }
    boolean gains = found.get(0).touched < GAIN * cuts.touched(some, node, n);
    int followed =
        followed(found, files, Math.min(to - from, followedRows(files)), queries.columns(some));
    return farSighted && files > 2 && followed > 1
        ? farSighted(best(found, followed), from, to, files, rowsPerFile, boxes)
        : gains ? found.get(0) : null;
  }

  private static int followedRows(int files) {
    return Math.max(LEAST_FOLLOWED_ROWS, FOLLOWED_ROWS_PER_FILE * files);
  }

  /** How many cuts there is time to follow. */
  private int followed(List<QueryCuts.Cut> found, int files, int rows, long asked) {
    double cut = found.stream().mapToInt(one -> one.column).distinct().count();
    int levels = Integer.SIZE - Integer.numberOfLeadingZeros(files);
    double time = MOST_WORK * files / allFiles;
    return (int) Math.min(FOLLOWED, time / (rows * cut * asked * levels));
  }

  private List<QueryCuts.Cut> best(List<QueryCuts.Cut> found, int most) {
    int[] taken = new int[columns.length];
    List<QueryCuts.Cut> best = new ArrayList<>();
    for (QueryCuts.Cut cut : found) {
      if (best.size() < most && taken[cut.column]++ < FOLLOWED_OF_COLUMN) {
        best.add(cut);
      }
    }
    return best;
  }

  /** The cut that ends best; null where none gains anything. */
  private QueryCuts.Cut farSighted(
      List<QueryCuts.Cut> found, int from, int to, int files, double rowsPerFile, int[] boxes) {
    int n = Math.min(to - from, followedRows(files));
    double perFile = rowsPerFile * n / (to - from);
    int[] some = thinned(boxes, FOLLOWED_BOXES);
    int[] rows = IntStream.range(from, from + n).toArray();
    QueryCuts.Cut best = null;
    double least = GAIN * cuts.touched(some, cuts.intervals(rows, 0, n), n);
    for (QueryCuts.Cut cut : found) {
      int middle = partition(rows, 0, n, cut);
      double touched =
          follow(rows, 0, middle, cut.leftFiles, perFile, some)
              + follow(rows, middle, n, files - cut.leftFiles, perFile, some);
      if (touched < GAIN * least) {
        least = touched;
        best = cut;
      }
      Arrays.sort(rows);
    }
    return best;
  }

  /** What is touched once the rows are split down to files, each time by what gains most. */
  private double follow(int[] rows, int from, int to, int files, double rowsPerFile, int[] boxes) {
    if (from == to) {
      return 0;
    }
    Intervals node = cuts.intervals(rows, from, to);
    int[] met = queries.meeting(boxes, node);
    double whole = cuts.touched(met, node, to - from);
    List<QueryCuts.Cut> found =
        files == 1 || whole == 0
            ? List.of()
            : cuts.cuts(rows, from, to, files, rowsPerFile, met, node, FOLLOWED_LITERALS);
    if (found.isEmpty() || found.get(0).touched >= GAIN * whole) {
      return whole;
    }
    QueryCuts.Cut cut = found.get(0);
    int middle = partition(rows, from, to, cut);
    return follow(rows, from, middle, cut.leftFiles, rowsPerFile, met)
        + follow(rows, middle, to, files - cut.leftFiles, rowsPerFile, met);
  }

  private int partition(int[] rows, int from, int to, QueryCuts.Cut cut) {
    NumberedColumn key = columns[cut.column];
    int low = from;
    for (int i = from; i < to; i++) {
      if (key.number(rows[i]) < cut.number) {
        int row = rows[i];
        rows[i] = rows[low];
        rows[low++] = row;
      }
    }
    return low;
  }

  /** The boxes of every n-th query, so that about so many are left. */
  private int[] thinned(int[] boxes, int most) {
    if (boxes.length <= most) {
      return boxes;
    }
    int step = (boxes.length + most - 1) / most;
    BitSet kept = new BitSet();
    int seen = 0;
    int last = -1;
    for (int box : boxes) {
      if (queries.owner(box) != last) {
        last = queries.owner(box);
        kept.set(last, seen++ % step == 0);
      }
    }
    return Arrays.stream(boxes).filter(box -> kept.get(queries.owner(box))).toArray();
  }
}
