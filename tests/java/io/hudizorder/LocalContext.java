package io.hudizorder;

import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The context of {@link LocalSpark}, for the tests of a class that needs no more of Spark. */
public abstract class LocalContext {

  protected static JavaSparkContext spark;

  @BeforeAll
  static void startSpark() {
    spark = JavaSparkContext.fromSparkContext(LocalSpark.builder().getOrCreate().sparkContext());
  }

  @AfterAll
  static void stopSpark() {
    spark.stop();
  }
}
