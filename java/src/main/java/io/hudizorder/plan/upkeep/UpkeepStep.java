package io.hudizorder.plan.upkeep;

import io.hudizorder.option.GroupKeys;
import java.util.Map;
import java.util.Set;

/** Files of a partition that are worth laying out together, and what that gains. */
public final class UpkeepStep {

  private final Set<String> fileIds;
  private final double[] weights;
  private final long bytes;
  private final double touchedNow;
  private final double touchedAfter;
  private final double touchedInAll;
  private final double optimum;
  private final boolean partial;

  UpkeepStep(
      Set<String> fileIds,
      double[] weights,
      long bytes,
      double touchedNow,
      double touchedAfter,
      double touchedInAll,
      double optimum,
      boolean partial) {
    this.fileIds = fileIds;
    this.weights = weights;
    this.bytes = bytes;
    this.touchedNow = touchedNow;
    this.touchedAfter = touchedAfter;
    this.touchedInAll = touchedInAll;
    this.optimum = optimum;
    this.partial = partial;
  }

  /** The file groups to rewrite. */
  public Set<String> fileIds() {
    return fileIds;
  }

  /** What the columns weigh for these rows, which may span no more than a part of a column. */
  public double[] weights() {
    return weights.clone();
  }

  /** Whether more was to be done than a plan may rewrite. */
  public boolean isPartial() {
    return partial;
  }

  /** The numbers as a plan keeps them with a group. */
  public Map<String, Double> metrics() {
    return Map.of(
        GroupKeys.TOUCHED_NOW, touchedNow,
        GroupKeys.TOUCHED_AFTER, touchedAfter,
        GroupKeys.TOUCHED_IN_ALL, touchedInAll,
        GroupKeys.TOUCHED_AS_ONE, optimum,
        GroupKeys.GAIN, (touchedNow - touchedAfter) / Math.max(1, bytes));
  }
}
