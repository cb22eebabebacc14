package io.hudizorder.layout.query;

import io.hudizorder.layout.split.FileFill;
import io.hudizorder.layout.split.NumberedColumn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Chooses the split of a node for queries.
 *
 * <p>The cut that gains most at once need not be the best: of two columns of an OR neither gains
 * alone, and of a column with seven values the first cut gains less than the next ones. So the best
 * cuts of each column are followed down to the files, by the cuts that then gain most at once, and
 * the one that ends best is taken.
 */
public final class QuerySplits {
  /** So many rows of a node are looked at. */
  private static final int JUDGED_ROWS = 4_096;

  /** More where there are many files to a node. */
  private static final int JUDGED_ROWS_PER_FILE = 64;

  /** And so many boxes of queries. */
  private static final int JUDGED_BOXES = 4_000;

  private static final int COLUMNS = 12;
  private static final int LITERALS = 32;

  /** The same for what follows a cut. */
  private static final int FOLLOWED_ROWS_PER_FILE = 150;

  private static final int LEAST_FOLLOWED_ROWS = 512;
  private static final int FOLLOWED_BOXES = 600;
  private static final int FOLLOWED_COLUMNS = 4;
  private static final int FOLLOWED_LITERALS = 8;

  /** So many cuts are followed, of one column so many. */
  private static final int FOLLOWED = 18;

  private static final int FOLLOWED_OF_COLUMN = 3;

  /** Fewer where that would take longer: numbers that are looked at for all nodes of a level. */
  private static final double MOST_WORK = 1.2e7;

  /** What counts as a gain; what is nearer may be chance, or rounding. */
  private static final double GAIN = 1 - 1e-9;

  private final NumberedColumn[] columns;
  private final NumberedQueries queries;
  private final double[] equality;
  private final int allFiles;
  private final FileFill fill;

  /**
   * @param files of the whole tree
   */
  public QuerySplits(
      NumberedColumn[] columns,
      NumberedQueries queries,
      double[] equality,
      int files,
      FileFill fill) {
    this.columns = columns;
    this.queries = queries;
    this.equality = equality;
    this.allFiles = files;
    this.fill = fill;
  }

  /** The boxes of all queries. */
  public int[] all() {
    return IntStream.range(0, queries.boxes()).toArray();
  }

  /** Those of some boxes that a node's rows meet. */
  public int[] meeting(int[] boxes, int from, int to) {
    int[] rows = IntStream.range(from, to).toArray();
    return queries.meeting(boxes, new Intervals(columns, rows, 0, rows.length));
  }

  /**
   * The best cut of a node; null where none gains anything.
   *
   * @param rowsPerFile how many rows a file should get
   * @param boxes those that meet the node
   */
  public QueryCut choose(int from, int to, int files, double rowsPerFile, int[] boxes) {
    int[] rows = IntStream.range(from, to).toArray();
    int judged = Math.min(rows.length, Math.max(JUDGED_ROWS, JUDGED_ROWS_PER_FILE * files));
    QueryCuts cuts = cuts(boxes, JUDGED_BOXES);
    QueryNode node = cuts.node(rows, 0, rows.length, judged, files, rowsPerFile, boxes);
    List<QueryCut> found = cuts.cuts(node, COLUMNS, LITERALS);
    if (found.isEmpty()) {
      return null;
    }
    int followed = followed(found, node);
    return files > 2 && followed > 1
        ? farSighted(best(found, followed), from, to, files, rowsPerFile, boxes)
        : found.get(0).touched() < GAIN * cuts.touched(node) ? found.get(0) : null;
  }

  /** Cuts that are judged by so many of some boxes. */
  private QueryCuts cuts(int[] boxes, int most) {
    return new QueryCuts(columns, queries.drawn(boxes, most), equality, fill);
  }

  private static int followedRows(int files) {
    return Math.max(LEAST_FOLLOWED_ROWS, FOLLOWED_ROWS_PER_FILE * files);
  }

  /** How many cuts there is time to follow. */
  private int followed(List<QueryCut> found, QueryNode node) {
    long cut = found.stream().mapToInt(QueryCut::column).distinct().limit(FOLLOWED_COLUMNS).count();
    int rows = Math.min(node.size(), followedRows(node.files));
    int levels = Integer.SIZE - Integer.numberOfLeadingZeros(node.files);
    double time = MOST_WORK * node.files / allFiles;
    double each = (double) rows * cut * queries.columns(node.boxes) * levels;
    return (int) Math.min(FOLLOWED, time / each);
  }

  /**
   * The best cut of each column, then the second of each, and so on: what gains little at once may
   * end best.
   */
  private List<QueryCut> best(List<QueryCut> found, int most) {
    Map<Integer, List<QueryCut>> ofColumn = new HashMap<>();
    List<List<QueryCut>> byTurn = new ArrayList<>();
    for (QueryCut cut : found) {
      List<QueryCut> own = ofColumn.computeIfAbsent(cut.column(), c -> new ArrayList<>());
      own.add(cut);
      if (own.size() > byTurn.size()) {
        byTurn.add(new ArrayList<>());
      }
      byTurn.get(own.size() - 1).add(cut);
    }
    return byTurn.stream()
        .limit(FOLLOWED_OF_COLUMN)
        .flatMap(List::stream)
        .limit(most)
        .collect(Collectors.toList());
  }

  /** The cut that ends best; null where none gains anything. */
  private QueryCut farSighted(
      List<QueryCut> found, int from, int to, int files, double rowsPerFile, int[] boxes) {
    int n = Math.min(to - from, followedRows(files));
    double perFile = rowsPerFile * n / (to - from);
    int[] rows = IntStream.range(from, from + n).toArray();
    QueryCuts cuts = cuts(boxes, FOLLOWED_BOXES);
    QueryNode node = cuts.node(rows, 0, n, n, files, perFile, boxes);
    double[] touched =
        found.parallelStream().mapToDouble(cut -> followSides(cuts, node.copy(), cut)).toArray();
    QueryCut best = null;
    double least = GAIN * cuts.touched(node);
    for (int i = 0; i < touched.length; i++) {
      if (touched[i] < GAIN * least) {
        least = touched[i];
        best = found.get(i);
      }
    }
    return best;
  }

  /** What is touched once the rows are split down to files, each time by what gains most. */
  private double follow(QueryCuts cuts, QueryNode node) {
    double whole = cuts.touched(node);
    List<QueryCut> found =
        node.files == 1 || whole == 0
            ? List.of()
            : cuts.cuts(node, FOLLOWED_COLUMNS, FOLLOWED_LITERALS);
    return found.isEmpty() || found.get(0).touched() >= GAIN * whole
        ? whole
        : followSides(cuts, node, found.get(0));
  }

  private double followSides(QueryCuts cuts, QueryNode node, QueryCut cut) {
    int middle = partition(node.rows, node.from, node.to, cut);
    return followSide(cuts, node, node.from, middle, cut.leftFiles())
        + followSide(cuts, node, middle, node.to, node.files - cut.leftFiles());
  }

  private double followSide(QueryCuts cuts, QueryNode node, int from, int to, int files) {
    return from == to
        ? 0
        : follow(
            cuts, cuts.node(node.rows, from, to, to - from, files, node.rowsPerFile, node.boxes));
  }

  private int partition(int[] rows, int from, int to, QueryCut cut) {
    NumberedColumn key = columns[cut.column()];
    int low = from;
    for (int i = from; i < to; i++) {
      if (key.number(rows[i]) < cut.number()) {
        int row = rows[i];
        rows[i] = rows[low];
        rows[low++] = row;
      }
    }
    return low;
  }
}
