package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hudizorder.EmptyTable;
import io.hudizorder.layout.Curve;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.spark.SortColumn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.apache.hudi.common.engine.HoodieLocalEngineContext;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.view.FileSystemViewManager;
import org.apache.hudi.common.table.view.HoodieTableFileSystemView;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LoadWeightsTest {

  private static final String COMMIT = "20260101000000001";
  private static final List<Object> ALL_OF_B = List.of(0L, 9L);

  @TempDir Path folder;
  private HoodieTableMetaClient table;

  @BeforeEach
  void makeTable() throws Exception {
    table = EmptyTable.in(folder, HoodieTableType.COPY_ON_WRITE);
    Files.createFile(
        folder.resolve(".hoodie/timeline").resolve(COMMIT + "_20260101000000002.commit"));
    Files.createDirectories(folder.resolve("p"));
  }

  /** What a file has of a, its least and greatest; what a load has, as Spark holds it. */
  static Stream<Arguments> loads() {
    return Stream.of(
        of("int", "int32 a", ints(1, 5), 6, 9),
        of("bigint", "int64 a", longs(1, 5), 6L, 9L),
        of("double", "double a", doubles(1.5, 1.6), 1.7, 1.8),
        of("date", "int32 a (DATE)", ints(1, 5), 6, 9),
        of("timestamp", "int64 a (TIMESTAMP(MICROS,true))", longs(-9, -5), -4L, 9L),
        of("timestamp_ntz", "int64 a (TIMESTAMP(MICROS,false))", longs(-9, -5), -4L, 9L),
        of(
            "decimal(9,2)",
            "int32 a (DECIMAL(9,2))",
            ints(1, 5),
            Decimal.apply(6, 9, 2),
            Decimal.apply(9, 9, 2)),
        of("string", "binary a (UTF8)", texts("a", "z"), text("è"), text("é")),
        of("binary", "binary a", texts("a", "z"), new byte[] {-2}, new byte[] {-1}));
  }

  private static Arguments of(
      String type, String stored, BiConsumer<Group, Boolean> values, Object low, Object high) {
    return Arguments.of(type, stored, values, List.of(low, high));
  }

  private static BiConsumer<Group, Boolean> ints(int low, int high) {
    return (row, isLow) -> row.add("a", isLow ? low : high);
  }

  private static BiConsumer<Group, Boolean> longs(long low, long high) {
    return (row, isLow) -> row.add("a", isLow ? low : high);
  }

  private static BiConsumer<Group, Boolean> doubles(double low, double high) {
    return (row, isLow) -> row.add("a", isLow ? low : high);
  }

  private static BiConsumer<Group, Boolean> texts(String low, String high) {
    return (row, isLow) -> row.add("a", Binary.fromString(isLow ? low : high));
  }

  private static UTF8String text(String text) {
    return UTF8String.fromBytes(text.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @MethodSource("loads")
  void aColumnOfWhichALoadHasValuesOfItsOwnIsCutByLess(
      String type, String stored, BiConsumer<Group, Boolean> values, List<Object> range)
      throws IOException {
    long bytes = write(stored, values);

    double[] weights = weights(type, 3.0 * bytes, List.of(range, ALL_OF_B));

    assertThat(weights).containsExactly(new double[] {0.75 * 2, 1}, within(1e-9));
  }

  @Test
  void aColumnOfNullsAloneMayHaveAnyOfItsValues() throws IOException {
    long bytes = write("int32 a", ints(1, 5));

    assertThat(weights("int", bytes, List.of(List.of(), ALL_OF_B)))
        .containsExactly(new double[] {2, 1}, within(1e-9));
  }

  @Test
  void theFirstRowsOfAPartitionAreCutAsTheTableIs() {
    assertThat(weights("int", 100, List.of(List.of(6, 9), ALL_OF_B))).containsExactly(2, 1);
  }

  /** Of 512 files it looks at 256, which stand for all of them. */
  @Test
  void aLoadIsWeighedAgainstAllFilesAlsoWhereSomeAreLookedAt() throws IOException {
    long bytes = write("int32 a", ints(1, 5));
    Path written = folder.resolve("p").resolve("f1_0-1-2_" + COMMIT + ".parquet");
    for (int file = 2; file <= 512; file++) {
      Files.copy(written, written.resolveSibling("f" + file + "_0-1-2_" + COMMIT + ".parquet"));
    }

    assertThat(weights("int", 512 * 3.0 * bytes, List.of(List.of(6, 9), ALL_OF_B)))
        .containsExactly(new double[] {0.75 * 2, 1}, within(1e-9));
  }

  /** By weights of 2 and 1. */
  private double[] weights(String type, double bytes, List<List<Object>> ranges) {
    List<SortColumn> columns =
        SortColumn.resolve(
            StructType.fromDDL("a " + type + ", b bigint"), List.of("a", "b"), List.of());
    LayoutSpec spec =
        LayoutSpec.builder()
            .columns(List.of("a", "b"))
            .weights(new double[] {2, 1})
            .curve(Curve.ZORDER)
            .fileOrder(LayoutSpec.FileOrder.AUTO)
            .create();
    HoodieWriteConfig config = HoodieWriteConfig.newBuilder().withPath(folder.toString()).build();
    HoodieTableMetaClient now = HoodieTableMetaClient.reload(table);
    try (HoodieTableFileSystemView view =
        FileSystemViewManager.createInMemoryFileSystemView(
            new HoodieLocalEngineContext(table.getStorageConf()),
            now,
            config.getMetadataConfig())) {
      return new LoadWeights(view, now.getStorage(), config, spec, columns).of("p", bytes, ranges);
    }
  }

  /** Writes a file of two rows, and returns its size. */
  private long write(String stored, BiConsumer<Group, Boolean> values) throws IOException {
    Path file = folder.resolve("p").resolve("f1_0-1-2_" + COMMIT + ".parquet");
    MessageType schema =
        MessageTypeParser.parseMessageType(
            "message t { required " + stored + "; required int64 b; }");
    try (ParquetWriter<Group> writer =
        ExampleParquetWriter.builder(new org.apache.hadoop.fs.Path(file.toUri()))
            .withType(schema)
            .build()) {
      for (boolean isLow : new boolean[] {true, false}) {
        Group row = new SimpleGroupFactory(schema).newGroup();
        values.accept(row, isLow);
        row.add("b", isLow ? 0L : 9L);
        writer.write(row);
      }
    }
    return Files.size(file);
  }
}
