package io.hudizorder.plan.upkeep;

import java.io.Serializable;

/**
 * Files that are larger than a plan may be, and go alone. They take turns with all others, plan by
 * plan: they would wait for ever where something is written before each, and all else would wait
 * for them if they came first.
 */
final class LargeFiles implements Serializable {

  private static final long serialVersionUID = 1L;

  private final long maxBytes;

  /** Whether others went last, that were no larger. */
  private final boolean theirTurn;

  LargeFiles(long maxBytes, boolean theirTurn) {
    this.maxBytes = maxBytes;
    this.theirTurn = theirTurn;
  }

  /**
   * Whose turn it is.
   *
   * @param last plan of the table
   * @param maxBytes that a plan may rewrite
   */
  static LargeFiles after(LastPlan last, long maxBytes) {
    return new LargeFiles(maxBytes, last.isWithin(maxBytes));
  }

  /**
   * Whether it is the turn of a file, for it is one of them. Since when it is there tells nothing:
   * a write that has brought a row into it has written it anew.
   */
  boolean isTurnOf(double bytes) {
    return theirTurn && bytes > maxBytes;
  }
}
