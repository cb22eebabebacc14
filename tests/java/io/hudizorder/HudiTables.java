package io.hudizorder;

import java.nio.file.Path;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A session of two cores for the tests of a class, and for each of them a folder for its table. */
public abstract class HudiTables {

  protected static SparkSession spark;

  @TempDir protected Path folder;

  @BeforeAll
  static void startSpark() {
    spark = HudiTable.session(2).getOrCreate();
  }

  @AfterAll
  static void stopSpark() {
    spark.stop();
  }

  /** A new table of columns {@code id}, {@code a} and {@code p}, the last its partition. */
  protected final HudiTable table(int rows, int partitions) {
    return table(rows, partitions, "t");
  }

  /** The same in a folder of this name. */
  protected final HudiTable table(int rows, int partitions, String name) {
    return tableIn(folder.resolve(name))
        .write(numbers(rows, partitions, "hash(id)"), "bulk_insert");
  }

  /** The rows of such a table. */
  protected static Dataset<Row> numbers(int rows, int partitions, String a) {
    return spark
        .range(0, rows, 1, 2)
        .selectExpr("id", "int(" + a + ") as a", "id % " + partitions + " as p");
  }

  /** Has a listener hear of all that Spark does for an action. */
  protected static void listen(SparkListener listener, Runnable action) throws Exception {
    spark.sparkContext().addSparkListener(listener);
    try {
      action.run();
      spark.sparkContext().listenerBus().waitUntilEmpty();
    } finally {
      spark.sparkContext().removeSparkListener(listener);
    }
  }

  /** That which lies in a folder. */
  protected static HudiTable tableIn(Path folder) {
    return new HudiTable(spark, folder).with("hoodie.datasource.write.partitionpath.field", "p");
  }
}
