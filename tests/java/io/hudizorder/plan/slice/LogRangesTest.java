package io.hudizorder.plan.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.HudiTable;
import io.hudizorder.HudiTables;
import io.hudizorder.spark.SortColumn;
import java.io.File;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.io.FileUtils;
import org.apache.commons.lang3.SerializationUtils;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.table.HoodieSparkTable;
import org.apache.hudi.table.HoodieTable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Of partitions 0 to 2: rows 3 and 6 were given other values, row 4 the same once more, and row 5
 * was deleted.
 */
class LogRangesTest extends HudiTables {

  @TempDir private static Path once;

  private static final List<Comparable<?>> UNKNOWN = List.of();
  private static final List<Comparable<?>> NO_VALUE = Arrays.asList(null, null);
  private static final Map<String, List<Comparable<?>>> EXPECTED =
      Map.ofEntries(
          Map.entry("l", List.of(30L, 60L)),
          Map.entry("f", List.of(1.5, 3.0)),
          Map.entry("x", List.of(-6.25, -3.25)),
          Map.entry("nan", UNKNOWN),
          Map.entry("dec", List.of(new BigDecimal("0.3"), new BigDecimal("0.6"))),
          Map.entry("s", List.of(UTF8String.fromString("text 3"), UTF8String.fromString("text 6"))),
          Map.entry("day", List.of(LocalDate.parse("2026-01-04"), LocalDate.parse("2026-01-07"))),
          Map.entry(
              "at",
              List.of(
                  Instant.parse("2026-01-01T00:00:03.000007Z"),
                  Instant.parse("2026-01-01T00:00:06.000007Z"))),
          Map.entry(
              "local",
              List.of(
                  LocalDateTime.parse("2026-01-01T00:00:03"),
                  LocalDateTime.parse("2026-01-01T00:00:06"))),
          Map.entry("flag", List.of(false, true)),
          Map.entry("bin", UNKNOWN),
          Map.entry("none", NO_VALUE),
          Map.entry("some", List.of(3L, 3L)));

  /** A slice has three files, or two. */
  @Test
  void theIndexTellsTheValuesOfLogsAsFootersTellThoseOfFiles() throws Exception {
    HudiTable table = indexed();

    for (int atOnce : new int[] {2, 5, LogRanges.AT_ONCE}) {
      assertThat(ranges(table, "0", slice -> true, atOnce)).isEqualTo(EXPECTED);
      assertThat(ranges(table, "1", slice -> true, atOnce)).isEmpty();
      assertThat(ranges(table, "2", slice -> true, atOnce)).isEmpty();
    }
  }

  @Test
  @Tag("slow")
  void theIndexIsNotAskedOfSlicesThatNoPlanMayTake() throws Exception {
    HudiTable table = indexed();

    assertThat(ranges(table, "0", slice -> false, LogRanges.AT_ONCE)).isEmpty();
  }

  @Test
  void nothingIsKnownWithoutAnIndex() throws Exception {
    HudiTable table = tableOf(folder.resolve("t"), "false");
    table.write(rows("id < 9", 100), "bulk_insert").write(rows("id = 3", 0), "upsert");

    assertThat(ranges(table, "0")).isEmpty();
  }

  /** A plan is made as without it; what is wrong with it the commit tells, which writes to it. */
  @Test
  void nothingIsKnownByAnIndexThatCannotBeRead() throws Exception {
    HudiTable table = indexed();
    for (File file : folder.resolve("t/.hoodie/metadata/column_stats").toFile().listFiles()) {
      assertThat(file.delete()).isTrue();
    }

    assertThat(ranges(table, "0")).isEmpty();
  }

  /** A copy of a table with an index, which is written once. */
  private HudiTable indexed() throws IOException {
    Path made = once.resolve("t");
    if (!Files.exists(made)) {
      write(tableOf(made, "true"));
    }
    FileUtils.copyDirectory(made.toFile(), folder.resolve("t").toFile());
    return tableOf(folder.resolve("t"), "true");
  }

  private HudiTable tableOf(Path path, String indexed) {
    return tableIn(path)
        .with("hoodie.datasource.write.table.type", "MERGE_ON_READ")
        .with("hoodie.metadata.enable", "true")
        .with("hoodie.metadata.index.column.stats.enable", indexed);
  }

  private HudiTable write(HudiTable table) {
    table.write(rows("id < 9", 100), "bulk_insert");
    table.write(rows("id = 3", 0).union(rows("id = 4", 100)), "upsert");
    table.write(rows("id = 6", 0), "upsert");
    return table.write(rows("id = 5", 100), "delete");
  }

  private Dataset<Row> rows(String condition, int more) {
    return spark
        .range(0, 9, 1, 1)
        .where(condition)
        .selectExpr("id", "id % 3 as p", "id + " + more + " as v")
        .selectExpr(
            "id",
            "p",
            "v * 10 as l",
            "cast(v as float) / 2 as f",
            "-v - 0.25d as x",
            "if(v = 3, double('nan'), 1d) as nan",
            "cast(v as decimal(9, 2)) / 10 as dec",
            "concat('text ', v) as s",
            "cast(concat('text ', v) as binary) as bin",
            "date_add(date'2026-01-01', int(v)) as day",
            "timestamp_micros(1767225600000007 + v * 1000000) as at",
            "timestamp_ntz'2026-01-01 00:00:00' + make_dt_interval(0, 0, 0, v) as local",
            "v = 3 as flag",
            "cast(null as bigint) as none",
            "if(v = 3, v, null) as some");
  }

  /** Nothing where nothing is known of the logs of a partition, which has one file group. */
  private Map<String, List<Comparable<?>>> ranges(HudiTable written, String partition)
      throws Exception {
    return ranges(written, partition, slice -> true, LogRanges.AT_ONCE);
  }

  private Map<String, List<Comparable<?>>> ranges(
      HudiTable written, String partition, LogRanges.Eligible eligible, int atOnce)
      throws Exception {
    List<String> names = new ArrayList<>(EXPECTED.keySet());
    List<SortColumn> columns = SortColumn.resolve(rows("true", 0).schema(), names, Set.of());
    try (SparkRDDWriteClient<?> client = written.client(Map.of())) {
      HoodieSparkEngineContext engine = (HoodieSparkEngineContext) client.getEngineContext();
      HoodieTable<?, ?, ?, ?> table = HoodieSparkTable.create(client.getConfig(), engine);
      LogRanges ranges =
          LogRanges.of(
              table, engine, client.getConfig(), List.of("0", "1", "2"), eligible, columns, atOnce);
      // As a task that plans has it.
      ranges = SerializationUtils.roundtrip(ranges);
      FileSlice slice = table.getSliceView().getLatestFileSlices(partition).findFirst().get();
      assertThat(slice.getLogFiles()).isNotEmpty();
      List<List<Comparable<?>>> told = ranges.of(slice);
      return IntStream.range(0, told.size())
          .boxed()
          .collect(Collectors.toMap(names::get, told::get));
    }
  }
}
