package io.hudizorder.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.LocalSpark;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VectorisedInputTest {
  private static final String VECTORISED = "spark.sql.parquet.enableVectorizedReader";

  private static SparkSession spark;

  @TempDir Path folder;

  @BeforeAll
  static void startSpark() {
    spark = LocalSpark.builder().getOrCreate();
  }

  @AfterAll
  static void stopSpark() {
    spark.stop();
  }

  @Test
  void readsInVectorsInASessionThatHudiHasTurnedThemOffIn() {
    String path = folder.resolve("t").toString();
    spark.range(100).selectExpr("id", "cast(id as string) as text").write().parquet(path);
    Dataset<Row> written = spark.read().parquet(path);
    spark.conf().set(VECTORISED, false);
    assertThat(plan(spark.read().parquet(path))).doesNotContain("ColumnarToRow");

    VectorisedInput input =
        new VectorisedInput(
            VectorisedInput.vectorising(spark), List.of(path), written.schema(), 100);

    assertThat(plan(input.rows())).contains("ColumnarToRow");
    assertThat(plan(input.columns(List.of("text")))).contains("ColumnarToRow");
    assertThat(input.rows().collectAsList()).isEqualTo(written.collectAsList());
    assertThat(spark.conf().get(VECTORISED)).isEqualTo("false");
  }

  private static String plan(Dataset<Row> rows) {
    return rows.queryExecution().executedPlan().toString();
  }
}
