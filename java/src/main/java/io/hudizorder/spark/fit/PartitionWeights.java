package io.hudizorder.spark.fit;

import java.util.List;

/** Weights of the sort columns for the rows that one partition of the table gets. */
public interface PartitionWeights {

  /**
   * The weights, all above 0.
   *
   * @param path of the partition
   * @param bytes about how many the rows take in files
   * @param ranges column by column about the least and the greatest of their values, as Spark holds
   *     them; empty where all are null, or nothing is known
   */
  double[] of(String path, double bytes, List<List<Object>> ranges);
}
