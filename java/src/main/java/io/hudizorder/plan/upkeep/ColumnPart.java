package io.hudizorder.plan.upkeep;

/** What rows have of a column, and how far a layout of them can cut it. */
final class ColumnPart {

  /** The share of the partition's values that lies in their range. */
  final double span;

  /** The least share of the values that a file can span: a value's, as far as the type says. */
  private final double least;

  /** Which part of the values fill files by themselves. */
  private final double hot;

  /** Which part one of those is. */
  private final double hotValue;

  /** Which part of the rows are nulls, which lie by themselves, and no equality asks for. */
  private final double nulls;

  /**
   * @param least a value's share of the partition's values
   * @param hot the share of them that hot values have
   * @param hotValue the share of one of these
   * @param nulls the share of the rows
   */
  ColumnPart(double span, double least, double hot, double hotValue, double nulls) {
    this.span = span;
    this.least = Math.min(1, least / Math.max(span, least));
    this.hot = Math.min(1, hot / Math.max(span, Double.MIN_NORMAL));
    this.hotValue = Math.min(1, hotValue / Math.max(span, Double.MIN_NORMAL));
    this.nulls = Math.min(1 - Math.ulp(1), nulls);
  }

  /** How many parts there are, where a part has so much of the rows, or is one value. */
  double parts(double part) {
    double ofValues = ofValues(part);
    double values = hot / Math.max(hotValue, ofValues) + (1 - hot) / Math.max(least, ofValues);
    return nulls / Math.max(nulls, part) + values * Math.min(1, (1 - nulls) / part);
  }

  /** How much of the values such a part has, in the mean over the rows. */
  double share(double part) {
    double ofValues = ofValues(part);
    double mixed = Math.max(0, (part - nulls) / (1 - nulls));
    return (1 - nulls)
            * (hot * Math.max(hotValue, ofValues) + (1 - hot) * Math.max(least, ofValues))
        + nulls * mixed * ofValues;
  }

  /** Which part of the rows have a value. */
  double valued() {
    return 1 - nulls;
  }

  /**
   * How much of the values of rows that have one a part has at least, in their mean. There is no
   * less of them in it than one over the number of parts either: {@link #share} is no less than
   * {@link #valued} times the greater.
   */
  double least() {
    return hot * hotValue + (1 - hot) * least;
  }

  private double ofValues(double part) {
    return Math.min(1, part / (1 - nulls));
  }
}
