package io.hudizorder.spark.shuffle;

import org.apache.spark.unsafe.hash.Murmur3_x86_32;

/**
 * Integers that Spark's hash partitioning sends where we want them, so that a row reaches the
 * partition of its file exactly, without a partitioner of our own and the row objects it costs.
 */
final class ShuffleTargets {

  /** The seed of Spark's {@code HashPartitioning}. */
  private static final int SEED = 42;

  private ShuffleTargets() {}

  /** For each partition, the least non-negative integer that hashes to it. */
  static int[] of(int partitions) {
    int[] targets = new int[partitions];
    boolean[] found = new boolean[partitions];
    int missing = partitions;
    for (int candidate = 0; missing > 0; candidate++) {
      int partition = Math.floorMod(Murmur3_x86_32.hashInt(candidate, SEED), partitions);
      if (!found[partition]) {
        found[partition] = true;
        targets[partition] = candidate;
        missing--;
      }
    }
    return targets;
  }
}
