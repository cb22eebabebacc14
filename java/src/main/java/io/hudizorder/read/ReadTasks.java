package io.hudizorder.read;

import org.apache.spark.sql.SparkSession;

/**
 * How many tasks read a group at most. A shuffle has a block for each of them and each file, so
 * that with splits of a size its blocks would grow with the square of the files; of ten thousand
 * files they would be eight hundred million, of twelve kilobytes each.
 */
final class ReadTasks {

  /** Of a group of terabytes each reads gigabytes, and sorts nothing. */
  private static final int MOST = 2_000;

  private static final int A_CORE = 4;

  /** Since Spark 3.5.0: splits are put together until there are no more tasks than these. */
  private static final String SPARKS = "spark.sql.files.maxPartitionNum";

  private ReadTasks() {}

  static int most(SparkSession spark) {
    return Math.max(MOST, A_CORE * spark.sparkContext().defaultParallelism());
  }

  /** Has Spark's readers of files keep to it, unless the session's user knows better. */
  static void limit(SparkSession spark) {
    if (spark.conf().getOption(SPARKS).isEmpty()) {
      spark.conf().set(SPARKS, most(spark));
    }
  }
}
