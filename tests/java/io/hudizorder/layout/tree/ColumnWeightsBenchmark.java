package io.hudizorder.layout.tree;

import io.hudizorder.layout.split.WeighedColumns;
import java.util.stream.IntStream;

/**
 * Prints what equalities read that ask each of k independent columns as often as its weight says,
 * over {@code k (prod w)^(1/k) N^(-1/k)}, the weights adding up to 1: under the plain tree by these
 * weights, the worst of some numbers of files near the one that is meant, and under the tree that
 * is cut for a log of such queries, by weights that are counted in the log. Beside it stands what
 * is possible at best: more than the bound where a column is asked so rarely that it is not cut.
 *
 * <p>Arguments, all optional: rows, sampled rows, queries in the log.
 */
public final class ColumnWeightsBenchmark {
  private static final int[] FILES = {40, 400};

  /** By number of columns. */
  private static final double[][][] WEIGHTS = {
    {{1, 1}, {2, 1}, {3, 1}, {8, 1}, {20, 1}},
    {{1, 1, 1}, {4, 2, 1}, {4, 4, 1}, {20, 5, 1}},
    {{1, 1, 1, 1}, {2, 2, 1, 1}, {4, 3, 2, 1}, {8, 4, 2, 1}},
  };

  private ColumnWeightsBenchmark() {}

  public static void main(String[] arguments) {
    int rows = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 400_000;
    int sampled = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 80_000;
    int logged = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 500;
    System.out.printf("%,d rows, %,d sampled, %,d queries%n", rows, sampled, logged);
    System.out.printf(
        "%-10s%6s%8s%10s |%7s%7s%9s%8s |%7s%9s%8s%n",
        "weights",
        "files",
        "bound",
        "possible",
        "plain",
        "worst",
        "emptiest",
        "fullest",
        "log",
        "emptiest",
        "fullest");
    for (double[][] ofColumns : WEIGHTS) {
      long[][] table = Tables.uniform(rows, ofColumns[0].length, 11);
      long[][] sample = Tables.sample(table, sampled, 1);
      for (double[] weights : ofColumns) {
        for (int files : FILES) {
          print(new WeighedColumns(table, sample, weights), files, logged);
        }
      }
    }
  }

  private static void print(WeighedColumns of, int files, int logged) {
    Forecast plain = of.plain(files);
    Forecast cut = of.cutForLog(logged, files);
    double worst =
        IntStream.rangeClosed(-3, 3)
            .mapToDouble(i -> of.ratio(of.plain(files + i * files / 40)))
            .max()
            .orElseThrow();
    System.out.printf(
        "%-10s%6d%8.4f%10.3f |%7.3f%7.3f%9.2f%8.2f |%7.3f%9.2f%8.2f%n",
        of.name(),
        files,
        of.bound(files),
        of.possible(files) / of.bound(files),
        of.ratio(plain),
        worst,
        plain.emptiest(),
        plain.fullest(),
        of.ratio(cut),
        cut.emptiest(),
        cut.fullest());
  }
}
