package io.hudizorder.plan.upkeep;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.LayoutSpec;

/** How a layout cuts columns, as far as it tells what is read of its files. */
enum Cutting {
  /** Each column as far as equalities on all gain by it, into boxes that do not meet. */
  BY_GAIN(0),

  /** Each only within values of those before it. */
  IN_TURN(0),

  /** All alike, at equal counts along a curve: boxes of its pieces lie over each other. */
  ALONG_Z(1.3),

  /** The same along a curve without leaps. */
  ALONG_HILBERT(0.6);

  /**
   * Over the number of columns, how much wider than a grid's one of many pieces is in each, in the
   * mean over 8 to 600 files: by 2 to 5 columns 1.64, 1.48, 1.38 and 1.31 times as wide along Z,
   * and 1.29, 1.25, 1.21 and 1.18 times along Hilbert's.
   */
  private final double excess;

  Cutting(double excess) {
    this.excess = excess;
  }

  static Cutting of(LayoutSpec spec) {
    if (spec.curve() == Curve.LINEAR) {
      return IN_TURN;
    }
    if (spec.cuts() == LayoutSpec.Cuts.TREE) {
      return BY_GAIN;
    }
    return spec.curve() == Curve.HILBERT ? ALONG_HILBERT : ALONG_Z;
  }

  /**
   * Which share of a column a file has, where in a grid it would have another: of few files a curve
   * is cut about where a grid is.
   */
  double share(double inGrid, int columns) {
    return columns == 1 ? inGrid : inGrid * (1 + excess / columns * (1 - inGrid));
  }

  /** Whether no column is cut more than others, whatever is gained by it. */
  boolean isAlike() {
    return excess > 0;
  }
}
