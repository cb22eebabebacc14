package io.hudizorder.plan.upkeep;

import java.util.Arrays;

/**
 * How much an equality reads of rows that are laid out together, in the mean over the sort columns
 * by their weights: in files of the target size, of which a smaller one counts as a whole.
 *
 * <p>The best that boxes can do: each of {@code n} files takes a share of every column, and these
 * shares multiply to {@code 1/n}. An equality on a column meets as many of the files as that share
 * says, and meets none at all where its value lies outside what the rows span.
 */
final class ReadingModel {

  /** Halvings of the range in which the common side of boxes lies. */
  private static final int STEPS = 64;

  private final double[] weights;
  private final double[] least;
  private final double fileBytes;

  /**
   * @param weights of the columns
   * @param least the least share of a column that a file can have: a value's
   */
  ReadingModel(double[] weights, double[] least, long fileBytes) {
    double sum = Arrays.stream(weights).sum();
    this.weights = Arrays.stream(weights).map(weight -> weight / sum).toArray();
    this.least = least.clone();
    this.fileBytes = fileBytes;
  }

  /** What a file of so many bytes counts as. */
  double size(double bytes) {
    return Math.max(1, bytes / fileBytes);
  }

  /** What is read of files that have shares of the columns. */
  double touched(double bytes, double[] shares) {
    double sum = 0;
    for (int c = 0; c < weights.length; c++) {
      sum += weights[c] * shares[c];
    }
    return size(bytes) * sum;
  }

  /**
   * What is read of rows once they are laid out.
   *
   * @param spans which share of the table's rows lies in their range, column by column
   */
  double laidOut(double bytes, double[] spans) {
    double files = size(bytes);
    int columns = weights.length;
    double[] cost = new double[columns];
    double[] floor = new double[columns];
    for (int c = 0; c < columns; c++) {
      cost[c] = Math.max(weights[c] * spans[c], Double.MIN_NORMAL);
      floor[c] = Math.min(1, least[c] / Math.max(spans[c], least[c]));
    }
    // All sides cost as much as each other, but for those that cannot be so long or so short.
    double low = StrictMath.log(Arrays.stream(cost).min().orElse(1) / files);
    double high = StrictMath.log(Arrays.stream(cost).max().orElse(1));
    for (int i = 0; i < STEPS; i++) {
      double middle = (low + high) / 2;
      double content = 0;
      for (int c = 0; c < columns; c++) {
        content += StrictMath.log(side(middle, cost[c], floor[c]));
      }
      if (content < -StrictMath.log(files)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    double sum = 0;
    for (int c = 0; c < columns; c++) {
      sum += cost[c] * side(high, cost[c], floor[c]);
    }
    return files * sum;
  }

  private static double side(double logCost, double cost, double floor) {
    return Math.max(floor, Math.min(1, StrictMath.exp(logCost) / cost));
  }
}
