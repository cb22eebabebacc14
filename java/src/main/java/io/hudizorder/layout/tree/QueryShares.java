package io.hudizorder.layout.tree;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What is read of a plain tree, and of one that is cut for queries without having seen those held
 * back, as shares of the rows of a sample.
 */
public final class QueryShares {

  /** What is read of either tree. */
  public static final class Pair {
    private final double plain;
    private final double cut;

    Pair(double plain, double cut) {
      this.plain = plain;
      this.cut = cut;
    }

    public double plain() {
      return plain;
    }

    public double cut() {
      return cut;
    }
  }

  private final Pair known;
  private final Pair heldBack;
  private final Map<Integer, Pair> seldomAsked;

  QueryShares(Pair known, Pair heldBack, Map<Integer, Pair> seldomAsked) {
    this.known = known;
    this.heldBack = heldBack;
    this.seldomAsked = Collections.unmodifiableMap(new TreeMap<>(seldomAsked));
  }

  /** By the queries that the tree was cut for, in the mean by weight. */
  public Pair known() {
    return known;
  }

  /** By those held back; none where they are too few for that. */
  public Optional<Pair> heldBack() {
    return Optional.ofNullable(heldBack);
  }

  /**
   * By an equality on each column that is seldom asked, or never, in the mean over the values of
   * all rows.
   */
  public Map<Integer, Pair> seldomAsked() {
    return seldomAsked;
  }
}
