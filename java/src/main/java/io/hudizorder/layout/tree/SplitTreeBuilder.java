package io.hudizorder.layout.tree;

import io.hudizorder.layout.query.NumberedQueries;
import io.hudizorder.layout.query.QueryCut;
import io.hudizorder.layout.query.QuerySplits;
import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.layout.split.FileFill;
import io.hudizorder.layout.split.NumberedColumn;
import io.hudizorder.layout.split.Split;
import java.util.Arrays;
import java.util.concurrent.ForkJoinTask;

/**
 * Grows a {@link SplitTree}.
 *
 * <p>A node is a set of sampled rows and the number of files they are to fill. It is split in two,
 * files in proportion to rows, until each leaf is one file: by what queries ask for ({@link
 * QuerySplits}), and where that gains nothing by what the columns weigh ({@link PlainSplits}).
 *
 * <p>A node of many rows is judged by some of them: the rows lie in a random order, so that the
 * first rows of every node are a sample of it. The more files there are, the fewer rows suffice: a
 * side of many files takes up what a cut is off.
 */
final class SplitTreeBuilder {
  /** By so many rows at least is a split chosen: a cut at their median is off by one percent. */
  private static final int MIN_JUDGED_ROWS = 2_048;

  /** So many, divided by the number of files, are judged where that is more. */
  private static final int JUDGED_ROWS = 20_000_000;

  /** The sides of a node of so many rows grow at the same time, in what threads the JVM shares. */
  private static final int SHARED_ROWS = 16_384;

  private final int rows;
  private final int files;
  private final double rowsPerFile;
  private final int judgedRows;
  private final NumberedColumn[] columns;
  private final double[] weights;
  private final PlainSplits plain;

  private final byte[] column;
  private final long[] cut;
  private final int[] left;
  private final int[] right;
  private int nodes;
  private int leaves;

  /** What queries ask for; null where nothing is known of them. */
  private final QuerySplits asked;

  SplitTreeBuilder(NumberedColumn[] columns, double[] weights, int files) {
    this(columns, weights, files, null, null);
  }

  /**
   * @param columns of a sample whose rows are in random order; each tree is grown from others
   * @param queries to cut for; where they gain nothing, and where nothing is known of them (null),
   *     by weights
   * @param equality by column, what an equality with any of its values weighs beside the queries
   */
  SplitTreeBuilder(
      NumberedColumn[] columns,
      double[] weights,
      int files,
      NumberedQueries queries,
      double[] equality) {
    this(
        columns,
        weights,
        columns[0].rows(),
        files,
        judgedRows(files),
        (double) columns[0].rows() / files,
        asked(columns, queries, equality, files));
  }

  /** Of a tree, or of a part of one, which shares nothing with the others that it would change. */
  private SplitTreeBuilder(
      NumberedColumn[] columns,
      double[] weights,
      int rows,
      int files,
      int judgedRows,
      double rowsPerFile,
      QuerySplits asked) {
    WordTable.checkWeights(weights, columns.length);
    this.columns = columns;
    this.weights = weights;
    this.rows = rows;
    this.files = files;
    this.judgedRows = judgedRows;
    this.rowsPerFile = rowsPerFile;
    this.asked = asked;
    plain = new PlainSplits(columns, weights, Math.min(rows, judgedRows), asked != null);
    column = new byte[files - 1];
    cut = new long[files - 1];
    left = new int[files - 1];
    right = new int[files - 1];
  }

  private static int judgedRows(int files) {
    WordTable.checkFiles(files);
    return Math.max(MIN_JUDGED_ROWS, JUDGED_ROWS / files);
  }

  private static QuerySplits asked(
      NumberedColumn[] columns, NumberedQueries queries, double[] equality, int files) {
    return queries == null
        ? null
        : new QuerySplits(
            columns, queries, equality, files, new FileFill((double) columns[0].rows() / files));
  }

  SplitTree build() {
    int root = grow(0, rows, files, asked == null ? new int[0] : asked.all());
    return new SplitTree(
        root,
        leaves,
        columns.length,
        Arrays.copyOf(column, nodes),
        Arrays.copyOf(cut, nodes),
        Arrays.copyOf(left, nodes),
        Arrays.copyOf(right, nodes));
  }

  /**
   * Grows the tree of a range of rows and returns its root, numbered as in {@link SplitTree}.
   *
   * @param boxes of queries that may meet the rows
   */
  private int grow(int from, int to, int files, int[] boxes) {
    if (files > 1 && boxes.length > 0) {
      int[] met = asked.meeting(boxes, from, to);
      QueryCut cut = asked.choose(from, to, files, rowsPerFile, met);
      return cut == null
          ? growPlain(from, to, files, met)
          : grow(from, to, files, cut.column(), cut.number(), cut.word(), met);
    }
    return growPlain(from, to, files, boxes);
  }

  private int growPlain(int from, int to, int files, int[] boxes) {
    Split split = files == 1 ? null : split(from, to, files);
    if (split == null) {
      return ~leaves++;
    }
    long word = columns[split.column()].word(split.number());
    return grow(from, to, files, split.column(), split.number(), word, boxes);
  }

  private Split split(int from, int to, int files) {
    int judged = Math.min(to - from, judgedRows);
    return plain.choose(from, from + judged, files, rowsPerFile * judged / (to - from));
  }

  private int grow(int from, int to, int files, int c, int number, long word, int[] boxes) {
    int node = nodes++;
    column[node] = (byte) c;
    cut[node] = word;
    int middle = partition(from, to, columns[c], number);
    int leftFiles = Split.leftFiles(files, middle - from, to - middle);
    int rightFiles = files - leftFiles;
    if (to - from < SHARED_ROWS) {
      left[node] = grow(from, middle, leftFiles, boxes);
      right[node] = grow(middle, to, rightFiles, boxes);
    } else {
      SplitTreeBuilder other = part(to - middle, rightFiles);
      ForkJoinTask<Integer> growing =
          ForkJoinTask.adapt(() -> other.grow(middle, to, rightFiles, boxes)).fork();
      left[node] = grow(from, middle, leftFiles, boxes);
      right[node] = append(other, growing.join());
    }
    return node;
  }

  private SplitTreeBuilder part(int rows, int files) {
    return new SplitTreeBuilder(columns, weights, rows, files, judgedRows, rowsPerFile, asked);
  }

  /** Takes over a part, and returns its root as it is numbered here. */
  private int append(SplitTreeBuilder part, int root) {
    System.arraycopy(part.column, 0, column, nodes, part.nodes);
    System.arraycopy(part.cut, 0, cut, nodes, part.nodes);
    for (int i = 0; i < part.nodes; i++) {
      left[nodes + i] = renumbered(part.left[i]);
      right[nodes + i] = renumbered(part.right[i]);
    }
    int own = renumbered(root);
    nodes += part.nodes;
    leaves += part.leaves;
    return own;
  }

  /** A child of a part that follows what has grown so far: a node, or the complement of a leaf. */
  private int renumbered(int child) {
    return child >= 0 ? child + nodes : child - leaves;
  }

  /** Swaps the rows left of a cut before those right of it, and tells where these begin. */
  private int partition(int from, int to, NumberedColumn key, int cut) {
    int low = from;
    int high = to;
    while (low < high) {
      if (key.number(low) < cut) {
        low++;
      } else if (key.number(high - 1) >= cut) {
        high--;
      } else {
        high--;
        for (NumberedColumn c : columns) {
          c.swap(low, high);
        }
        low++;
      }
    }
    return low;
  }
}
