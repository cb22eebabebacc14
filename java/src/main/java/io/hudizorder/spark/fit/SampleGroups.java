package io.hudizorder.spark.fit;

import io.hudizorder.layout.rank.WordTable;

/** Groups of sampled rows, each of which is laid out for itself. */
public final class SampleGroups {
  private final int[] groupOfRow;
  private final long[] estimatedRows;
  private final int[] files;

  /**
   * @param groupOfRow the number of each row's group
   * @param estimatedRows about how many rows each group has
   * @param files how many files each group is to fill
   */
  public SampleGroups(int[] groupOfRow, long[] estimatedRows, int[] files) {
    this.groupOfRow = groupOfRow.clone();
    this.estimatedRows = estimatedRows.clone();
    this.files = files.clone();
  }

  int files(int group) {
    return files[group];
  }

  long estimatedRows(int group) {
    return estimatedRows[group];
  }

  /** The sampled rows of each group. */
  int[][] rows() {
    return WordTable.rowsByGroup(groupOfRow, files.length);
  }
}
