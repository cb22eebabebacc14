package io.hudizorder.layout.tree;

import io.hudizorder.layout.rank.SignedWords;
import io.hudizorder.layout.rank.WordTable;
import java.util.Arrays;

/**
 * What skipping on file statistics is worth under a layout: the rows of a table, or of a sample of
 * it, are sent to their files, and every file's minimum and maximum of every column is taken, nulls
 * passed over.
 *
 * <p>From a sample the answer is slightly too good, since the extremes of a file are rarely
 * sampled: by about two rows' worth of values for each file.
 */
public final class Forecast {
  private static final long NULL = 0;

  private final long[][] table;
  private final int[] rows;
  private final long[][] min;
  private final long[][] max;

  private Forecast(long[][] table, int files) {
    this.table = table;
    rows = new int[files];
    min = new long[table.length][files];
    max = new long[table.length][files];
  }

  /**
   * Sends rows to their files.
   *
   * @param table words by column, then by row, as the layout takes them
   * @throws IllegalArgumentException without a column, or for columns of unequal length
   */
  public static Forecast of(FileCuts layout, long[][] table) {
    int rows = WordTable.rows(table);
    Forecast forecast = new Forecast(table, layout.files());
    for (int row = 0; row < rows; row++) {
      long[] words = WordTable.row(table, row);
      forecast.add(words, layout.fileOf(words));
    }
    return forecast;
  }

  private void add(long[] words, int file) {
    rows[file]++;
    for (int c = 0; c < words.length; c++) {
      long word = words[c];
      if (word != NULL) {
        if (min[c][file] == NULL || Long.compareUnsigned(word, min[c][file]) < 0) {
          min[c][file] = word;
        }
        if (Long.compareUnsigned(word, max[c][file]) > 0) {
          max[c][file] = word;
        }
      }
    }
  }

  /** Number of files, empty ones included. */
  public int files() {
    return rows.length;
  }

  /** Rows of the emptiest file, as a multiple of the mean. */
  public double emptiest() {
    return Arrays.stream(rows).min().orElseThrow() / mean();
  }

  /** Rows of the fullest file, as a multiple of the mean. */
  public double fullest() {
    return Arrays.stream(rows).max().orElseThrow() / mean();
  }

  private double mean() {
    return (double) table[0].length / rows.length;
  }

  /**
   * The share of all rows that lie in files whose statistics cannot rule out one value of a column,
   * in the mean over the values of all rows; 0 for a column of nulls.
   */
  public double touched(int column) {
    long[] values =
        Arrays.stream(table[column]).filter(word -> word != NULL).map(SignedWords::flip).toArray();
    Arrays.sort(values);
    double touched = 0;
    for (int file = 0; file < rows.length; file++) {
      if (min[column][file] != NULL) {
        int within =
            SignedWords.countUpTo(values, SignedWords.flip(max[column][file]))
                - SignedWords.countUpTo(values, SignedWords.flip(min[column][file]) - 1);
        touched += (double) rows[file] * within / values.length;
      }
    }
    return values.length == 0 ? 0 : touched / table[column].length;
  }

  /** The mean of {@link #touched} over the leading columns, as a multiple of {@link #optimum}. */
  public double ratioToOptimum(int columns) {
    double sum = 0;
    for (int c = 0; c < columns; c++) {
      sum += touched(c);
    }
    return sum / columns / optimum(files(), columns);
  }

  /**
   * The share {@code files^(-1/columns)} that no layout can touch less of, in the mean over
   * independent columns of distinct values: that of a perfect grid.
   */
  public static double optimum(int files, int columns) {
    return Math.pow(files, -1.0 / columns);
  }
}
