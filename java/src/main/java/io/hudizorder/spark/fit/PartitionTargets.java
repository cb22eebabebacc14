package io.hudizorder.spark.fit;

import io.hudizorder.layout.query.PartitionValues;
import java.util.function.Function;

/** What the partitions of a table are told apart by, and what is wanted of the files of each. */
public final class PartitionTargets {

  final String column;
  final long fileBytes;
  final int tasks;
  final PartitionWeights weights;
  final Function<String, PartitionValues> values;

  /**
   * @param column names the column that holds the path of a row's partition
   * @param fileBytes bytes a file should not exceed
   * @param tasks tasks that keep the cluster busy
   * @param weights of a partition's rows
   * @param values what all rows of a partition have in common, by its path
   */
  public PartitionTargets(
      String column,
      long fileBytes,
      int tasks,
      PartitionWeights weights,
      Function<String, PartitionValues> values) {
    this.column = column;
    this.fileBytes = fileBytes;
    this.tasks = tasks;
    this.weights = weights;
    this.values = values;
  }
}
