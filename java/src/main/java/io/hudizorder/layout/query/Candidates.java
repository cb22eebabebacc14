package io.hudizorder.layout.query;

import io.hudizorder.layout.split.FileFill;
import io.hudizorder.layout.split.NumberedColumn;
import io.hudizorder.layout.split.Split;
import java.util.Arrays;

/**
 * Cuts of one column that a node may be split at: at quantiles of its rows, and at literals of
 * queries, of which the heaviest of each part of the rows is taken. A cut that would leave the
 * files of a side too full or too empty is none.
 */
final class Candidates {
  private static final double[] QUANTILES = {0.25, 1.0 / 3, 0.5, 2.0 / 3, 0.75};

  private final NumberedColumn column;
  private final SortedRows sorted;
  private final QueryNode node;
  private final FileFill fill;

  private final int[] numbers;
  private final long[] words;
  private final int[] positions;
  private int count;

  /** The part of the rows in which the last cut lies, if at a literal, and what that one weighs. */
  private int part = -1;

  private double weight;

  /**
   * @param sorted the node's rows by their numbers
   * @param fill how far files may be off
   * @param parts how many literals to keep, at most, beside quantiles
   */
  Candidates(NumberedColumn column, SortedRows sorted, QueryNode node, FileFill fill, int parts) {
    this.column = column;
    this.sorted = sorted;
    this.node = node;
    this.fill = fill;
    int most = parts + 4 * QUANTILES.length;
    numbers = new int[most];
    words = new long[most];
    positions = new int[most];
  }

  /**
   * Finds the cuts.
   *
   * @param asked whether a box is one of the node's
   */
  void find(QueryLiterals literals, NumberedQueries queries, boolean[] asked, int parts) {
    int[] quantiles = quantiles();
    int q = 0;
    int end = literals.upTo(sorted.number(sorted.size() - 1));
    for (int i = literals.upTo(sorted.number(0)); i < end; ) {
      int number = literals.numbers[i];
      double sum = 0;
      double ofWord = 0;
      double most = -1;
      long heaviest = 0;
      long last = 0;
      for (; i < end && literals.numbers[i] == number; i++) {
        if (asked[literals.boxes[i]]) {
          double own = queries.weight(literals.boxes[i]);
          boolean same = ofWord > 0 && literals.words[i] == last;
          ofWord = same ? ofWord + own : own;
          last = literals.words[i];
          sum += own;
          if (ofWord > most) {
            most = ofWord;
            heaviest = literals.words[i];
          }
        }
      }
      if (sum > 0) {
        for (; q < quantiles.length && quantiles[q] <= number; q++) {
          if (quantiles[q] < number) {
            addQuantile(quantiles[q]);
          }
        }
        addLiteral(number, heaviest, sum, parts);
      }
    }
    for (; q < quantiles.length; q++) {
      addQuantile(quantiles[q]);
    }
  }

  /** The numbers on both sides of the whole numbers of files nearest to the quantiles. */
  private int[] quantiles() {
    int[] found = new int[2 * QUANTILES.length];
    int n = 0;
    for (double quantile : QUANTILES) {
      int left = (int) Math.max(1, Math.min(node.files - 1, Math.round(quantile * node.files)));
      int number = sorted.number((int) ((long) sorted.size() * left / node.files));
      found[n++] = number;
      found[n++] = number + 1;
    }
    return Arrays.stream(found)
        .filter(number -> number >= 0 && number < column.distinct())
        .sorted()
        .distinct()
        .toArray();
  }

  private void addQuantile(int number) {
    int position = sorted.below(number);
    if (isEven(position)) {
      add(number, column.word(number), position);
      part = -1;
    }
  }

  private void addLiteral(int number, long word, double asked, int parts) {
    int position = sorted.below(number);
    if (isEven(position)) {
      int own = (int) ((long) position * parts / sorted.size());
      if (own != part) {
        add(number, word, position);
      } else if (asked > weight) {
        count--;
        add(number, word, position);
      } else {
        return;
      }
      part = own;
      weight = asked;
    }
  }

  private void add(int number, long word, int position) {
    numbers[count] = number;
    words[count] = word;
    positions[count++] = position;
  }

  private boolean isEven(int position) {
    if (position == 0 || position == sorted.size()) {
      return false;
    }
    int left = Split.leftFiles(node.files, position, sorted.size() - position);
    return fill.allows(left, position, node.rowsPerFile)
        && fill.allows(node.files - left, sorted.size() - position, node.rowsPerFile);
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
    return Split.leftFiles(node.files, positions[cut], sorted.size() - positions[cut]);
  }
}
