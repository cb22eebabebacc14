package io.hudizorder.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.LocalSpark;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SampleTest {

  private static SparkSession spark;

  @BeforeAll
  static void startSpark() {
    spark = LocalSpark.builder().getOrCreate();
  }

  @AfterAll
  static void stopSpark() {
    spark.stop();
  }

  @Test
  void holdsTheBeginningOfLongValues() {
    assertThat(drawn(1_000)).hasSize(200).doesNotHaveDuplicates().allMatch(s -> s.length() == 1024);
    assertThat(drawn(4_000_000)).hasSize(200).allMatch(s -> s.length() == 67);
  }

  private static List<String> drawn(long size) {
    Dataset<Row> rows =
        spark.range(200).selectExpr("id", "concat(lpad(id, 10, '0'), repeat('x', 5000)) AS text");
    List<SortColumn> columns = SortColumn.resolve(rows.schema(), List.of("text"), List.of());
    Sample sample = Sample.draw(rows, columns, true, List.of(functions.col("id")), 20, 200, size);
    return Arrays.stream(sample.bytes(0)).map(String::new).collect(Collectors.toList());
  }
}
