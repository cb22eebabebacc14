package io.hudizorder.spark;

import org.apache.spark.package$;
import scala.util.Properties;

/** The engine this jar was built for. */
public final class SparkRelease {

  private static final String SPARK = "3.5.";
  private static final String SCALA = "2.12.";

  private SparkRelease() {}

  /**
   * Refuses an engine whose internal classes may differ.
   *
   * @throws IllegalArgumentException naming the release found and the one needed
   */
  public static void requireSupported() {
    require(package$.MODULE$.SPARK_VERSION(), Properties.versionNumberString());
  }

  static void require(String spark, String scala) {
    if (!spark.startsWith(SPARK) || !scala.startsWith(SCALA)) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot cluster: this is Spark %s with Scala %s, hudi-zorder is built for Spark %sx with"
                  + " Scala %sx; run it there (pip install 'pyspark==3.5.*')",
              spark, scala, SPARK, SCALA));
    }
  }
}
