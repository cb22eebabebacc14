package io.hudizorder.layout;

import java.util.Arrays;

/**
 * Cuts of one column that a node may be split at: at quantiles of its rows, and at literals of
 * queries, of which the heaviest of each part of the rows is taken. A cut that would leave the
 * files of a side too full or too empty is none.
 */
final class Candidates {
  private final NumberedColumn column;
  private final int[] sorted;
  private final int files;
  private final double rowsPerFile;
  private final double uneven;

  private int[] numbers = new int[16];
  private long[] words = new long[16];
  private double[] weights = new double[16];
  private int count;
  private int[] positions;

  /**
   * @param sorted the numbers of the node's rows, ascending
   * @param rowsPerFile how many of such rows a file should get
   * @param uneven how far it may be off, either way, as a ratio
   */
  Candidates(NumberedColumn column, int[] sorted, int files, double rowsPerFile, double uneven) {
    this.column = column;
    this.sorted = sorted;
    this.files = files;
    this.rowsPerFile = rowsPerFile;
    this.uneven = uneven;
  }

  /**
   * Adds the cuts on both sides of the value at the whole number of files nearest to a quantile.
   */
  void addQuantile(double quantile) {
    int leftFiles = (int) Math.max(1, Math.min(files - 1, Math.round(quantile * files)));
    int number = sorted[(int) ((long) sorted.length * leftFiles / files)];
    for (int at = number; at <= number + 1; at++) {
      if (at >= 0 && at < column.distinct()) {
        add(at, column.word(at), 0);
      }
    }
  }

  /** Adds the ends of ranges that lie within a node. */
  void addLiterals(NumberedQueries.Condition condition, double weight, Intervals node) {
    int c = condition.column;
    int least = node.nulls(c) ? NumberedColumn.NULL : node.min(c);
    for (int i = 0; i < condition.lows.length; i++) {
      if (condition.lows[i] > least && condition.lows[i] <= node.max(c)) {
        add(condition.lows[i], condition.lowWords[i], weight);
      }
      if (condition.highs[i] >= least && condition.highs[i] < node.max(c)) {
        add(condition.highs[i] + 1, condition.nextWords[i], weight);
      }
    }
  }

  private void add(int number, long word, double weight) {
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * count);
      words = Arrays.copyOf(words, 2 * count);
      weights = Arrays.copyOf(weights, 2 * count);
    }
    numbers[count] = number;
    words[count] = word;
    weights[count++] = weight;
  }

  /**
   * Puts the cuts into their order and drops what is too much.
   *
   * @param parts how many literals to keep, at most, beside quantiles
   */
  void finish(int parts) {
    sort();
    positions = new int[count];
    int kept = 0;
    int lastPart = -1;
    boolean lastLiteral = false;
    for (int i = 0; i < count; ) {
      int end = i;
      double weight = 0;
      double most = -1;
      int heaviest = i;
      for (double ofWord = 0; end < count && numbers[end] == numbers[i]; end++) {
        ofWord = end > i && words[end] == words[end - 1] ? ofWord + weights[end] : weights[end];
        weight += weights[end];
        if (ofWord > most) {
          most = ofWord;
          heaviest = end;
        }
      }
      int position = position(numbers[i]);
      if (isEven(position)) {
        int part = (int) ((long) position * parts / sorted.length);
        boolean literal = weight > 0;
        boolean replaces = literal && lastLiteral && part == lastPart;
        if (!replaces || weight > weights[kept - 1]) {
          if (replaces) {
            kept--;
          }
          numbers[kept] = numbers[i];
          words[kept] = words[heaviest];
          weights[kept] = weight;
          positions[kept++] = position;
          lastPart = part;
          lastLiteral = literal;
        }
      }
      i = end;
    }
    count = kept;
  }

  private void sort() {
    Integer[] order = new Integer[count];
    Arrays.setAll(order, i -> i);
    int[] n = numbers.clone();
    long[] w = words.clone();
    double[] weight = weights.clone();
    Arrays.sort(
        order, (a, b) -> n[a] != n[b] ? Integer.compare(n[a], n[b]) : Long.compare(w[a], w[b]));
    for (int i = 0; i < count; i++) {
      numbers[i] = n[order[i]];
      words[i] = w[order[i]];
      weights[i] = weight[order[i]];
    }
  }

  /** How many rows have a lower number. */
  private int position(int number) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle] < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private boolean isEven(int position) {
    if (position == 0 || position == sorted.length) {
      return false;
    }
    int leftFiles = Split.leftFiles(files, position, sorted.length - position);
    double left = position / (leftFiles * rowsPerFile);
    double right = (sorted.length - position) / ((files - leftFiles) * rowsPerFile);
    return Math.max(Math.max(left, 1 / left), Math.max(right, 1 / right)) <= uneven;
  }

  int count() {
    return count;
  }

  int number(int cut) {
    return numbers[cut];
  }

  long word(int cut) {
    return words[cut];
  }

  /** How many of the rows lie left of a cut. */
  int leftRows(int cut) {
    return positions[cut];
  }

  int leftFiles(int cut) {
    return Split.leftFiles(files, positions[cut], sorted.length - positions[cut]);
  }

  /** How many cuts a number is at or right of. */
  int partOf(int number) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (numbers[middle] <= number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
