package io.hudizorder.plan.upkeep;

import java.util.Map;
import java.util.Set;

/** Files of a partition that are worth laying out together, and what that gains. */
public final class UpkeepStep {

  /**
   * Names of metrics of a clustering group; what an equality reads, in files of the target size: of
   * the group's now, and once they are laid out.
   */
  static final String TOUCHED_NOW = "hoodie.clustering.zorder.touched.now";

  static final String TOUCHED_AFTER = "hoodie.clustering.zorder.touched.after";

  /** In the partition: now, and were all of it laid out as one. */
  public static final String TOUCHED_IN_ALL = "hoodie.clustering.zorder.touched.in.all";

  public static final String TOUCHED_AS_ONE = "hoodie.clustering.zorder.touched.as.one";

  /** What each byte of the group takes off. */
  public static final String GAIN = "hoodie.clustering.zorder.gain";

  /** Bytes of the group. */
  public static final String BYTES = "hoodie.clustering.zorder.bytes";

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
        TOUCHED_NOW, touchedNow,
        TOUCHED_AFTER, touchedAfter,
        TOUCHED_IN_ALL, touchedInAll,
        TOUCHED_AS_ONE, optimum,
        GAIN, (touchedNow - touchedAfter) / Math.max(1, bytes));
  }
}
