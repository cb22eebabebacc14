package io.hudizorder.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hudizorder.LocalSpark;
import io.hudizorder.PlainKeys;
import io.hudizorder.spark.sample.RowWidths;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.lang3.SerializationUtils;
import org.apache.hudi.storage.hadoop.HadoopStorageConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroup;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BaseFileFootersTest {

  private static SparkSession spark;

  @TempDir Path folder;

  @BeforeAll
  static void startSpark() {
    spark =
        LocalSpark.builder()
            .config(
                "spark.hadoop.parquet.crypto.factory.class",
                "org.apache.parquet.crypto.keytools.PropertiesDrivenCryptoFactory")
            .config("spark.hadoop.parquet.encryption.kms.client.class", PlainKeys.class.getName())
            .getOrCreate();
  }

  @AfterAll
  static void stopSpark() {
    spark.stop();
  }

  @Test
  void readsAnEncryptedFooterWithTheKeysOfTheSession() {
    Dataset<Row> rows = spark.range(100).selectExpr("id", "id * 2 AS a");
    String table = folder.resolve("t").toString();
    rows.write()
        .option("parquet.encryption.footer.key", "footer")
        .option("parquet.encryption.column.keys", "column:a")
        .parquet(table);
    List<BaseFileFooter> footers =
        files(table).stream()
            .map(path -> footer(path, rows.schema(), "required int64 id; required int64 a;"))
            .collect(Collectors.toList());

    assertThat(footers).hasSize(1);
    assertThat(footers.get(0).rows()).isEqualTo(100);
    assertThat(footers.get(0).isReadAlike()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"binary,9,false", "binary,18,false", "binary,19,true", "int64,18,true"})
  void decimalsOfFewDigitsInBytesAreNotForVectors(String physical, int digits, boolean fast)
      throws IOException {
    String column = String.format("optional %s d (DECIMAL(%d,2));", physical, digits);
    MessageType schema = message(column);
    String path = folder.resolve("f.parquet").toString();
    ExampleParquetWriter.builder(new org.apache.hadoop.fs.Path(path))
        .withType(schema)
        .build()
        .close();
    StructType table = new StructType().add("d", DataTypes.createDecimalType(digits, 2));

    assertThat(footer(path, table, column).isReadAlike()).isEqualTo(fast);
  }

  /** Of a table with the columns {@code a}, {@code other} and {@code added}. */
  @ParameterizedTest
  @CsvSource({
    "optional int64 a; optional int64 other; optional int64 added (TIMESTAMP_MICROS);,true",
    "optional int64 a; optional int64 other;,true",
    "optional int64 a;,false",
    "optional int64 other; optional int64 a;,false",
    "optional int64 a; optional int64 other; optional int64 gone;,false",
    "optional int64 a; optional int64 other; optional int64 added (TIMESTAMP_MILLIS);,false",
    "optional int64 a; optional int64 other; optional int64 added (TIME_MICROS);,false",
  })
  void onlyColumnsToFillWithNullsMayBeMissing(String columns, boolean fast) throws IOException {
    String path = folder.resolve("f.parquet").toString();
    ExampleParquetWriter.builder(new org.apache.hadoop.fs.Path(path))
        .withType(message(columns))
        .build()
        .close();
    StructType table = StructType.fromDDL("a bigint, other bigint, added timestamp");
    String inParquet =
        "optional int64 a; optional int64 other; optional int64 added (TIMESTAMP_MICROS);";

    assertThat(footer(path, table, inParquet).isReadAlike()).isEqualTo(fast);
  }

  /** Of a table in which no row of {@code id} is null. */
  @ParameterizedTest
  @CsvSource({
    "optional int64 a;,true",
    "required int64 id;,false",
    "optional int64 id;,false",
    "optional int64 id; optional int64 a;,false",
    "optional group id { optional int64 a; },false",
  })
  void aRequiredColumnIsLackedWhereAFileHasNoneOfIt(String columns, boolean lacked)
      throws IOException {
    MessageType type = message(columns);
    Group row = new SimpleGroup(type);
    Group values = type.getType(0).isPrimitive() ? row : row.addGroup(0);
    values.add(0, 7L);

    assertThat(lackedOf(type, row)).isEqualTo(lacked ? Optional.of("id") : Optional.empty());
  }

  @Test
  void aRequiredColumnIsLackedWhereARowHasNoneOfIt() throws IOException {
    MessageType type = message("optional int64 id;");
    Group value = new SimpleGroup(type);
    value.add(0, 7L);

    assertThat(lackedOf(type, value, new SimpleGroup(type), value)).contains("id");
    assertThat(lackedOf(message("optional int64 a;"))).isEmpty();
  }

  private Optional<String> lackedOf(MessageType type, Group... rows) throws IOException {
    String path = folder.resolve("lacking.parquet").toString();
    try (ParquetWriter<Group> writer =
        ExampleParquetWriter.builder(new org.apache.hadoop.fs.Path(path))
            .withType(type)
            .withWriteMode(ParquetFileWriter.Mode.OVERWRITE)
            .build()) {
      for (Group row : rows) {
        writer.write(row);
      }
    }
    return footer(path, StructType.fromDDL("id bigint"), "required int64 id;").lackedColumn();
  }

  @ParameterizedTest
  @CsvSource({"12,2,true,2", "12,2,false,12", "10000,2,false,200", "10000,500,false,2000"})
  void asManyTasksReadFootersAsThereIsWorkForOnceAClusterHasGrown(
      int paths, int cores, boolean local, int tasks) {
    assertThat(BaseFileFooters.tasks(paths, cores, local)).isEqualTo(tasks);
  }

  /** What a driver holds of a table grows by its files, not by files times columns. */
  @Test
  void theFooterOfAWideTableIsAsSmallAsThatOfANarrowOne() throws IOException {
    String[] texts =
        IntStream.range(0, 300).mapToObj(i -> "uuid() AS c" + i).toArray(String[]::new);
    String table = folder.resolve("wide").toString();
    Dataset<Row> rows = spark.range(100).selectExpr(texts);
    rows.coalesce(1).write().parquet(table);
    String path = files(table).get(0);
    BaseFileFooters footers = read(List.of(path), rows.schema(), Optional.empty());

    assertThat(SerializationUtils.serialize(footers.of(path))).hasSizeLessThan(500);
    assertThat(footers.widths().columns()).hasSize(300);
  }

  @Test
  void widthsAreThoseOfTheRowsOfAllFiles() {
    Dataset<Row> rows =
        spark.range(1_000).selectExpr("id", "repeat(uuid(), IF(id < 500, 1, 9)) AS text");
    String table = folder.resolve("t").toString();
    rows.coalesce(1)
        .sortWithinPartitions("id")
        .write()
        .option("maxRecordsPerFile", 500)
        .parquet(table);
    List<String> paths = files(table);
    List<RowWidths> ofOne =
        paths.stream()
            .map(path -> read(List.of(path), rows.schema(), Optional.empty()).widths())
            .collect(Collectors.toList());

    RowWidths ofAll = read(paths, rows.schema(), Optional.empty()).widths();

    assertThat(paths).hasSize(2);
    assertThat(ofAll.columns()).containsExactly("text");
    assertThat(ofAll.mean())
        .isCloseTo((ofOne.get(0).mean() + ofOne.get(1).mean()) / 2, within(1e-6));
    assertThat(Math.max(ofOne.get(0).mean(), ofOne.get(1).mean())).isGreaterThan(ofAll.mean() + 1);
  }

  private static List<String> files(String table) {
    return Arrays.stream(new File(table).listFiles())
        .map(File::getPath)
        .filter(path -> path.endsWith(".parquet"))
        .collect(Collectors.toList());
  }

  private static BaseFileFooter footer(String path, StructType table, String columns) {
    return read(List.of(path), table, Optional.of(message(columns))).of(path);
  }

  private static BaseFileFooters read(
      List<String> paths, StructType table, Optional<MessageType> tableInParquet) {
    return BaseFileFooters.readAll(
        JavaSparkContext.fromSparkContext(spark.sparkContext()),
        new HadoopStorageConfiguration(spark.sparkContext().hadoopConfiguration()),
        paths,
        table,
        tableInParquet,
        Set.of("added"),
        Set.of("id"));
  }

  private static MessageType message(String columns) {
    return MessageTypeParser.parseMessageType("message t { " + columns + " }");
  }
}
