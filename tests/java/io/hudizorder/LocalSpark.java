package io.hudizorder;

import org.apache.spark.sql.SparkSession;

/** A small Spark session for the tests of a class, which stops it. */
public final class LocalSpark {

  private LocalSpark() {}

  public static SparkSession.Builder builder() {
    return SparkSession.builder()
        .master("local[1]")
        .config("spark.ui.enabled", false)
        // What Spark tells of each task would be some 30,000 lines of a class.
        .config("spark.log.level", "WARN")
        .config("spark.hadoop.fs.file.impl", LocalFiles.class.getName())
        .config("spark.driver.host", "localhost")
        .config("spark.driver.bindAddress", "localhost");
  }
}
