package io.hudizorder.spark.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.LocalSpark;
import io.hudizorder.spark.SortColumn;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SortColumnSampleTest {

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

  /** 4 million rows, as 16,000 files ask for, of the least of 8 values would be 2 GB. */
  @ParameterizedTest
  @CsvSource({"true, 8, 524288", "true, 1, 4000000", "false, 8, 4000000"})
  void hasFewerRowsWhereTheDriverHasNoRoomForTheirValues(boolean ranked, int texts, long rows) {
    List<String> names =
        IntStream.range(0, texts).mapToObj(c -> "c" + c).collect(Collectors.toList());
    StructType schema = StructType.fromDDL(String.join(" STRING, ", names) + " STRING");
    List<SortColumn> columns = SortColumn.resolve(schema, names, List.of());

    assertThat(SortColumnSample.atMost(4_000_000, columns, ranked)).isEqualTo(rows);
  }

  /** Spark collects at most 1 GB. */
  @Test
  void hasFewerRowsWhereManyColumnsAreCollected() {
    List<String> names = IntStream.range(0, 64).mapToObj(c -> "c" + c).collect(Collectors.toList());
    StructType schema = StructType.fromDDL(String.join(" BIGINT, ", names) + " BIGINT");
    List<SortColumn> columns = SortColumn.resolve(schema, names, List.of());

    assertThat(SortColumnSample.atMost(4_000_000, columns, true)).isBetween(1_000_000L, 1_400_000L);
  }

  private static List<String> drawn(long size) {
    Dataset<Row> rows =
        spark.range(200).selectExpr("id", "concat(lpad(id, 10, '0'), repeat('x', 5000)) AS text");
    List<SortColumn> columns = SortColumn.resolve(rows.schema(), List.of("text"), List.of());
    SortColumnSample sample =
        SortColumnSample.draw(
            rows, columns, true, List.of(functions.col("id")), 20, 200, size, RowWidths.UNKNOWN);
    return Arrays.stream(sample.bytes(0)).map(String::new).collect(Collectors.toList());
  }

  /** Whose widths are looked at: a column of which one file of the group could be a quarter. */
  @ParameterizedTest
  @CsvSource({"1, wide", "3, 'wide,text'", "25, 'wide,text,flag'"})
  void aColumnIsMeasuredThatMayMakeAQuarterOfAFilesRows(int files, String measured) {
    Map<String, RowWidths.Bytes> columns = new LinkedHashMap<>();
    columns.put("wide", new RowWidths.Bytes(25, 30));
    columns.put("text", new RowWidths.Bytes(10, 40));
    columns.put("flag", new RowWidths.Bytes(1, 4));

    assertThat(new RowWidths(100, columns).among(files).columns())
        .containsExactly(measured.split(","));
  }

  /** All of it twice; a value is cut, the shorter the more are drawn. */
  @ParameterizedTest
  @CsvSource({"40, 1000, 64", "500, 1000, 500", "5000, 1000, 1024", "5000, 1000000, 268"})
  void whatTheDriverHoldsOfARowIsByHowLongItsTextsAre(int length, long rows, int text) {
    Map<String, RowWidths.Bytes> told = Map.of("text", new RowWidths.Bytes(length / 2.0, length));

    assertThat(memory(rows, new RowWidths(9_000, told))).isEqualTo(2 * rows * (96 + 8 + text));
    assertThat(memory(rows, new RowWidths(9_000, told).among(1)))
        .isEqualTo(2 * rows * (96 + 8 + text));
  }

  @Test
  void whereNobodyKnowsTextsAreTakenToBeLong() {
    assertThat(memory(1_000, RowWidths.UNKNOWN)).isEqualTo(2 * 1_000 * (96 + 8 + 1_024));
  }

  private static long memory(long rows, RowWidths widths) {
    StructType schema = new StructType().add("text", DataTypes.StringType);
    List<SortColumn> columns = SortColumn.resolve(schema, List.of("text"), List.of());
    return SortColumnSample.memory(rows, columns, true, widths);
  }
}
