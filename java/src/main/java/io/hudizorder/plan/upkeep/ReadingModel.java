package io.hudizorder.plan.upkeep;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

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

  /** How much more the columns before another are cut for where that only breaks their ties. */
  private static final double IN_TURN = 1e-9;

  private final double[] weights;

  /** For what the columns are cut. */
  private final double[] pulls;

  private final Cutting cutting;

  private final double fileBytes;

  /**
   * @param weights of the columns
   * @param cutting of the columns
   */
  ReadingModel(double[] weights, Cutting cutting, long fileBytes) {
    double sum = Arrays.stream(weights).sum();
    this.weights = Arrays.stream(weights).map(weight -> weight / sum).toArray();
    this.pulls = this.weights.clone();
    this.cutting = cutting;
    for (int c = 0; c < pulls.length && cutting == Cutting.IN_TURN; c++) {
      pulls[c] = Math.max(Double.MIN_NORMAL, StrictMath.pow(IN_TURN, c));
    }
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

  /** What is read of rows once they are laid out. */
  double laidOut(double bytes, ColumnPart[] parts) {
    return laidOut(bytes, parts, this::share);
  }

  /** The same were their boxes a grid. */
  double inGrid(double bytes, ColumnPart[] parts) {
    return laidOut(bytes, parts, inGrid -> inGrid);
  }

  private double laidOut(double bytes, ColumnPart[] parts, DoubleUnaryOperator share) {
    double[] shares = shares(bytes, parts);
    double sum = 0;
    for (int c = 0; c < shares.length; c++) {
      sum += weights[c] * parts[c].span * share.applyAsDouble(shares[c]);
    }
    return size(bytes) * sum;
  }

  /**
   * What no layout of rows reads less than: what {@link #laidOut} finds by halvings, where each
   * column is cut as far as it gains. Of hot values, and nulls, it may tell less. It takes a small
   * part of the time.
   */
  double atLeast(double bytes, ColumnPart[] parts) {
    double files = size(bytes);
    double[] cost = new double[parts.length];
    double[] least = new double[parts.length];
    for (int c = 0; c < cost.length; c++) {
      cost[c] = Math.max(weights[c] * parts[c].span * parts[c].valued(), Double.MIN_NORMAL);
      least[c] = Math.max(parts[c].least(), 1 / files);
    }
    // All sides cost as much as each other, and the more that is, the fewer boxes there are: of the
    // costs at which a side is as short, or as long, as it can be, the last with enough of them.
    double level = 0;
    for (int c = 0; c < cost.length; c++) {
      level = raised(level, cost[c] * least[c], files, cost, least);
      level = raised(level, cost[c], files, cost, least);
    }
    int free = 0;
    for (int c = 0; c < cost.length; c++) {
      free += cost[c] * least[c] <= level && level < cost[c] ? 1 : 0;
    }
    if (free > 0) {
      level *= StrictMath.pow(boxes(level, cost, least) / files, 1.0 / free);
    }
    double sum = 0;
    for (int c = 0; c < cost.length; c++) {
      double share = Math.max(least[c], Math.min(1, level / cost[c]));
      sum += weights[c] * parts[c].span * parts[c].valued() * share;
    }
    return files * sum;
  }

  private static double raised(
      double level, double to, double files, double[] cost, double[] least) {
    return to > level && boxes(to, cost, least) >= files ? to : level;
  }

  private static double boxes(double level, double[] cost, double[] least) {
    double boxes = 1;
    for (int c = 0; c < cost.length; c++) {
      boxes /= Math.max(least[c], Math.min(1, level / cost[c]));
    }
    return Math.min(boxes, Double.MAX_VALUE);
  }

  /** Which share of a column files have, where in a grid they would have another. */
  double share(double inGrid) {
    return cutting.share(inGrid, weights.length);
  }

  /** Which part of the values that rows have of each column a file has in a grid of them. */
  double[] shares(double bytes, ColumnPart[] parts) {
    double files = size(bytes);
    double[] cost = new double[parts.length];
    for (int c = 0; c < cost.length; c++) {
      cost[c] = cutting.isAlike() ? 1 : Math.max(pulls[c] * parts[c].span, Double.MIN_NORMAL);
    }
    // All sides cost as much as each other, but for those that cannot be so long or so short.
    double low = StrictMath.log(Arrays.stream(cost).min().orElse(1) / files);
    double high = StrictMath.log(Arrays.stream(cost).max().orElse(1));
    double most = StrictMath.log(files);
    for (int i = 0; i < STEPS; i++) {
      double middle = (low + high) / 2;
      double boxes = 0;
      for (int c = 0; c < cost.length; c++) {
        boxes += StrictMath.log(parts[c].parts(side(middle, cost[c])));
      }
      if (boxes > most) {
        low = middle;
      } else {
        high = middle;
      }
    }
    double[] shares = new double[cost.length];
    for (int c = 0; c < cost.length; c++) {
      shares[c] = parts[c].share(side(high, cost[c]));
    }
    return shares;
  }

  private static double side(double logCost, double cost) {
    return Math.min(1, StrictMath.exp(logCost) / cost);
  }
}
