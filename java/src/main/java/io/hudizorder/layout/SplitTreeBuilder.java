package io.hudizorder.layout;

import java.util.Arrays;

/** Grows a {@link SplitTree}. */
final class SplitTreeBuilder {
  /** How far a file may be from the mean of all. */
  private static final double FULLEST = 1.25;

  private final SampledColumn[] columns;
  private final double[] weights;
  private final int files;
  private final int rows;
  private final double rowsPerFile;

  private final byte[] column;
  private final long[] cut;
  private final int[] left;
  private final int[] right;
  private int nodes;
  private int leaves;

  SplitTreeBuilder(long[][] sample, double[] weights, int files) {
    rows = Samples.rows(sample);
    Samples.checkFiles(files);
    this.files = files;
    this.weights = weights;
    rowsPerFile = (double) rows / files;
    int[] scratch = new int[rows];
    columns = new SampledColumn[sample.length];
    for (int c = 0; c < columns.length; c++) {
      columns[c] = new SampledColumn(sample[c], scratch);
    }
    column = new byte[files - 1];
    cut = new long[files - 1];
    left = new int[files - 1];
    right = new int[files - 1];
  }

  SplitTree build() {
    int root = grow(0, rows, files);
    return new SplitTree(
        root,
        leaves,
        Arrays.copyOf(column, nodes),
        Arrays.copyOf(cut, nodes),
        Arrays.copyOf(left, nodes),
        Arrays.copyOf(right, nodes));
  }

  private int grow(int from, int to, int files) {
    Split split = files == 1 ? null : choose(from, to, files);
    if (split == null) {
      return ~leaves++;
    }
    int node = nodes++;
    column[node] = (byte) split.column;
    cut[node] = columns[split.column].word(split.cut);
    int middle = partition(from, to, split);
    left[node] = grow(from, middle, split.leftFiles);
    right[node] = grow(middle, to, files - split.leftFiles);
    return node;
  }

  private Split choose(int from, int to, int files) {
    Plan weighted = new Plan(from, to, files, true);
    Plan rest = new Plan(from, to, files, false);
    for (double fullest : new double[] {FULLEST, Double.POSITIVE_INFINITY}) {
      for (Plan plan : new Plan[] {weighted, rest}) {
        for (int i = 0; i < plan.length; i++) {
          Split split = plan.split(i, from, to, files, fullest);
          if (split != null) {
            return split;
          }
        }
      }
    }
    return null;
  }

  private int partition(int from, int to, Split split) {
    SampledColumn key = columns[split.column];
    int i = from;
    int j = to;
    while (i < j) {
      if (key.isLeft(i, split.cut)) {
        i++;
      } else {
        j--;
        for (SampledColumn c : columns) {
          c.swap(i, j);
        }
      }
    }
    return i;
  }

  final class Plan {
    final int[] order;
    final double[] intervals;
    int length;

    Plan(int from, int to, int files, boolean weighted) {
      order = new int[columns.length];
      double[] worth = new double[columns.length];
      intervals = new double[columns.length];
      for (int c = 0; c < columns.length; c++) {
        if (weights[c] > 0 == weighted) {
          worth[c] = columns[c].reducible(from, to) * (weighted ? weights[c] : 1);
          if (worth[c] > 1e-12) {
            int i = length++;
            for (; i > 0 && worth[order[i - 1]] > worth[c]; i--) {
              order[i] = order[i - 1];
            }
            order[i] = c;
          }
        }
      }
      int first = 0;
      double side = 0;
      for (; first < length; first++) {
        double log = -Math.log(files);
        for (int i = first; i < length; i++) {
          log += Math.log(worth[order[i]]);
        }
        side = Math.exp(log / (length - first));
        if (first == length - 1 || worth[order[first]] / side >= Math.sqrt(2)) {
          break;
        }
      }
      for (int i = first; i < length; i++) {
        intervals[order[i]] = worth[order[i]] / side;
      }
      // planned ones ascending, then the others descending
      int[] o = order.clone();
      for (int i = 0; i < length; i++) {
        order[i] = i < length - first ? o[first + i] : o[length - 1 - i];
      }
    }

    Split split(int i, int from, int to, int files, double fullest) {
      int c = order[i];
      double m = intervals[c];
      int g = (int) m;
      if (m * m >= (double) g * (g + 1)) {
        g++;
      }
      g = Math.max(2, g);
      int leftFiles = (int) Math.round((double) files * (g / 2) / g);
      leftFiles = Math.max(1, Math.min(files - 1, leftFiles));
      int n = to - from;
      int target = (int) ((long) n * leftFiles / files);
      int number = columns[c].select(from, to, target);
      Split best = null;
      int bestOff = Integer.MAX_VALUE;
      for (int cut = Math.max(number, 0); cut <= number + 1 && cut < columns[c].distinct(); cut++) {
        int count = columns[c].countLeft(from, to, cut);
        if (count == 0 || count == n) {
          continue;
        }
        int lf = (int) Math.round((double) count * files / n);
        lf = Math.max(1, Math.min(files - 1, lf));
        double fl = count / (lf * rowsPerFile);
        double fr = (n - count) / ((files - lf) * rowsPerFile);
        double f = Math.max(Math.max(fl, 1 / fl), Math.max(fr, 1 / fr));
        int off = Math.abs(count - target);
        if (f <= fullest && off < bestOff) {
          best = new Split(c, cut, lf);
          bestOff = off;
        }
      }
      return best;
    }
  }

  static final class Split {
    final int column;
    final int cut;
    final int leftFiles;

    Split(int column, int cut, int leftFiles) {
      this.column = column;
      this.cut = cut;
      this.leftFiles = leftFiles;
    }
  }
}
