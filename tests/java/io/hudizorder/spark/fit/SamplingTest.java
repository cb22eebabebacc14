package io.hudizorder.spark.fit;

import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.hudizorder.LocalSpark;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.layout.query.PartitionValues;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.sample.DriverRoom;
import io.hudizorder.spark.sample.OnePassSample;
import io.hudizorder.spark.sample.RowWidths;
import io.hudizorder.spark.shuffle.FittedLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Samples that come to a driver of little room. */
class SamplingTest {

  private static final int ROWS = 4_000;
  private static final int SAMPLE = 1_000;
  private static final int FILES = 8;
  private static final List<String> NAMES = List.of("a", "text");

  private static SparkSession spark;

  @BeforeAll
  static void startSpark() {
    spark = LocalSpark.builder().config("spark.driver.maxResultSize", "30m").getOrCreate();
  }

  @AfterAll
  static void stopSpark() {
    spark.stop();
  }

  @Test
  void partsOfATableComeToTheDriverAsOne() {
    Dataset<Row> rows =
        spark.range(0, 60_000, 1, 36).selectExpr("id", "repeat(uuid(), 30) AS text");
    List<Column> values = List.of(functions.col("id"));
    Column hash = functions.xxhash64(rows.col("id"));

    OnePassSample sample = OnePassSample.draw(rows, lit("p"), hash, hash, values, 500);

    assertThat(sample.drawn().size()).isBetween(400, 1_000);
    assertThat(sample.whole()).hasSizeBetween(5_000, 16_000);
  }

  @Test
  void aTableOfNoPartsHasASampleOfNoRows() {
    Dataset<Row> rows = spark.emptyDataFrame().select(lit(1L).as("id"));

    assertThat(
            OnePassSample.draw(rows, lit("p"), lit(1L), lit(1L), List.of(rows.col("id")), 500)
                .drawn()
                .size())
        .isZero();
  }

  @Test
  void aGroupIsFittedOnceThereIsRoomForItsSample() throws Exception {
    Dataset<Row> rows = spark.range(ROWS).selectExpr("id", "id AS key", "md5(string(id)) AS text");
    List<String> names = List.of("id", "text");
    List<SortColumn> columns = SortColumn.resolve(rows.schema(), names, List.of());
    RowClustering layout = new RowClustering(Layouts.spec(names, SAMPLE), columns, List.of("key"));

    // Spark is warm from here on: what does not wait is done in the time.
    assertThat(layout.fit(rows, ROWS, true, FILES, RowWidths.UNKNOWN)).isPresent();
    CompletableFuture<Optional<FittedLayout>> fitted =
        DriverRoom.here()
            .taking(
                Long.MAX_VALUE,
                () -> {
                  CompletableFuture<Optional<FittedLayout>> waiting =
                      CompletableFuture.supplyAsync(
                          () -> layout.fit(rows, ROWS, true, FILES, RowWidths.UNKNOWN));
                  assertThatThrownBy(() -> waiting.get(2, TimeUnit.SECONDS))
                      .isInstanceOf(TimeoutException.class);
                  return waiting;
                });

    assertThat(fitted.get(60, TimeUnit.SECONDS)).isPresent();
  }

  @Test
  void whatIsForecastIsTheLayoutThatClusteringLearnsAlsoWhereKeysRepeat() {
    Dataset<Row> rows =
        spark
            .range(ROWS)
            .selectExpr("id", "id % 100 AS key", "hash(id) AS a", "md5(string(id)) AS text");
    List<SortColumn> columns = SortColumn.resolve(rows.schema(), NAMES, List.of());
    LayoutSpec spec = Layouts.spec(NAMES, SAMPLE);

    Map<Long, Integer> forecast = forecast(rows, columns, spec);

    assertThat(forecast)
        .hasSizeBetween(ROWS / 3, ROWS * 2 / 3)
        .satisfies(found -> assertThat(laidOut(rows, columns, spec)).containsAllEntriesOf(found));
  }

  @Test
  void aForecastLeavesLongValuesWhereTheyAre() {
    Dataset<Row> rows =
        spark
            .range(ROWS)
            .selectExpr("id", "id AS key", "id AS a", "repeat(md5(string(id)), 500) AS text");
    List<SortColumn> columns = SortColumn.resolve(rows.schema(), NAMES, List.of());

    assertThat(forecast(rows, columns, Layouts.spec(NAMES, SAMPLE))).isNotEmpty();
  }

  @ParameterizedTest(name = "of {0} texts and {1} rows in {2} files {3} are asked for")
  @CsvSource({
    "1, 3000000, 1, 4000000, 4000, true", // as many as are asked for
    "1, 8000000, 1, 10000000, 2100, false", // no more than the driver has room for
    "2, 10000000, 4000, 200000, 400, false", // 250 of each file
    "40, 10000000, 4000, 200000, 42, false" // the same, of so many texts
  })
  void aForecastLooksAtSoManyRows(
      int texts, long estimate, int files, long asked, long looked, boolean whole) {
    List<String> names =
        IntStream.range(0, texts).mapToObj(c -> "c" + c).collect(Collectors.toList());
    Dataset<Row> rows =
        spark
            .range(4_000)
            .selectExpr("id AS key")
            .select(
                Stream.concat(
                        Stream.of(functions.col("key")),
                        names.stream().map(name -> functions.col("key").cast("string").as(name)))
                    .toArray(Column[]::new));
    List<SortColumn> columns = SortColumn.resolve(rows.schema(), names, List.of());
    try (PreviewSample sampled =
        PreviewSample.draw(
            rows,
            lit(0),
            columns,
            List.of(),
            List.of("key"),
            0,
            new long[] {estimate},
            new int[] {files},
            asked)) {
      assertThat(sampled.values().count()).isCloseTo(looked, withinPercentage(40));
      assertThat(sampled.isWhole()).isEqualTo(whole);
    }
  }

  /** The file of each of half the rows, by its id. */
  private static Map<Long, Integer> forecast(
      Dataset<Row> rows, List<SortColumn> columns, LayoutSpec spec) {
    List<SortColumn> looked = SortColumn.resolve(rows.schema(), List.of("id", "text"), List.of());
    try (PreviewSample sampled =
        PreviewSample.draw(
            rows,
            lit(0),
            columns,
            looked,
            List.of("key"),
            spec.seed(),
            new long[] {ROWS},
            new int[] {FILES},
            ROWS / 2)) {
      int[] files = sampled.filesOf(spec, columns, List.of(PartitionValues.UNKNOWN));
      List<Row> ids = sampled.values().select("v0").collectAsList();
      Map<Long, Integer> found = new HashMap<>();
      for (int r = 0; r < files.length; r++) {
        found.put(ids.get(r).getLong(0), files[r]);
      }
      return found;
    }
  }

  /** The file of each row, by its id. */
  private static Map<Long, Integer> laidOut(
      Dataset<Row> rows, List<SortColumn> columns, LayoutSpec spec) {
    RowClustering layout = new RowClustering(spec, columns, List.of("key"));
    Map<Long, Integer> found = new HashMap<>();
    layout
        .arrange(
            rows, layout.fit(rows, ROWS, true, FILES, RowWidths.UNKNOWN).orElseThrow(), Map.of())
        .select(functions.col("id"), functions.spark_partition_id())
        .collectAsList()
        .forEach(row -> found.put(row.getLong(0), row.getInt(1)));
    return found;
  }

  /** Logs may have added rows, or deleted them. */
  @ParameterizedTest
  @CsvSource({"0.5,false", "0.9,true", "1.1,true", "2,false"})
  void rowsThatWereEstimatedAreLaidOutByTheirNumberWhereTheSampleBearsItOut(
      double estimate, boolean borneOut) {
    Dataset<Row> rows = spark.range(0, ROWS, 1, 2).selectExpr("id", "id AS key");
    List<SortColumn> columns = SortColumn.resolve(rows.schema(), List.of("id"), List.of());
    LayoutSpec spec = Layouts.spec(List.of("id"), SAMPLE);
    RowClustering layout = new RowClustering(spec, columns, List.of("key"));

    Optional<FittedLayout> found =
        layout.fit(rows, (long) (estimate * ROWS), false, FILES, RowWidths.UNKNOWN);

    assertThat(found.isPresent()).isEqualTo(borneOut);
  }

  @Test
  void rowsOfAClassThatNoneWasMeasuredOfCostAsThoseBelow() {
    Dataset<Row> rows =
        spark.range(0, 100, 1, 1).selectExpr("id", "repeat('x', if(id < 3, 5000, 10)) AS text");
    Column hash = functions.xxhash64(rows.col("id"));
    OnePassSample.DrawnRows drawn =
        OnePassSample.draw(rows, lit("p"), hash, hash, List.of(rows.col("id")), 500).drawn();
    List<Integer> order = IntStream.range(0, drawn.size()).boxed().collect(Collectors.toList());
    FileBytes half = FileBytes.through(1000, 500, 500, 250, 0);
    FileBytes whole = FileBytes.through(1000, 1000, 500, 500, 0);

    RowCosts costs = RowCosts.measure(drawn, order, some -> some.size() == 3 ? whole : half);

    assertThat(costs.classOf(300)).isBetween(1, costs.classOf(5000) - 1);
    assertThat(costs.of(300)).isCloseTo(150, within(1e-9));
    assertThat(costs.of(5000)).isCloseTo(5000, within(1e-9));
  }

  @Test
  void rowsThatAreTooLargeToBeMeasuredCostWhatTheyTakeInMemory() {
    Dataset<Row> rows = spark.range(0, 3, 1, 1).selectExpr("id", "repeat('x', 17000000) AS text");
    Column hash = functions.xxhash64(rows.col("id"));
    OnePassSample sample =
        OnePassSample.draw(rows, lit("p"), hash, hash, List.of(rows.col("id")), 500);

    assertThat(sample.whole()).isEmpty();
    RowCosts costs =
        RowCosts.measure(
            sample.drawnOfWhole(), List.of(), some -> FileBytes.through(0, 400, 0, 400, 0));
    assertThat(costs.of(17_000_000)).isCloseTo(17e6, within(1e-9));
    assertThat(costs.file().files(3 * 17e6, 20_000_000)).isEqualTo(3);
  }

  @Test
  void theRangesOfAPartitionAreThoseOfItsRows() {
    Dataset<Row> rows =
        spark
            .range(100)
            .selectExpr("id", "if(id % 2 = 0, 'p', 'q') AS part", "nullif(id, 0) AS a")
            .orderBy("id");
    Column hash = functions.xxhash64(rows.col("id"));
    OnePassSample sample =
        OnePassSample.draw(rows, rows.col("part"), hash, hash, List.of(rows.col("a")), 500);
    List<SortColumn> columns = SortColumn.resolve(rows.schema(), List.of("a"), List.of());

    SampledRanges ranges = new SampledRanges(sample, rows.schema(), columns);

    assertThat(ranges.of(UTF8String.fromString("p"))).containsExactly(List.of(2L, 98L));
    assertThat(ranges.of(UTF8String.fromString("q"))).containsExactly(List.of(1L, 99L));
    assertThat(ranges.of(UTF8String.fromString("r"))).containsExactly(List.of());
  }
}
