package io.hudizorder.plan;

import org.apache.hudi.config.HoodieWriteConfig;

/**
 * The bytes that a file of a clustering group should have. A plan stores how many files it wants
 * and not of what size; whoever executes it may be configured otherwise than its author was.
 */
public final class GroupTarget {

  private final long groupBytes;
  private final long configured;

  /**
   * @param groupBytes that the plan's author saw in the group's slices
   */
  public GroupTarget(HoodieWriteConfig config, long groupBytes) {
    this.groupBytes = groupBytes;
    this.configured = config.getClusteringTargetFileMaxBytes();
  }

  /**
   * The configured target, where that gives as many files as were planned; else the least that
   * does.
   */
  public long of(int planned) {
    double files = Math.max(1, Math.ceil((double) groupBytes / configured));
    return Math.max(1, files == planned ? configured : groupBytes / Math.max(1, planned));
  }
}
