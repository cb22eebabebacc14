package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.parquet.ParquetSize;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.HoodieSchemaConversionUtils;
import org.apache.hudi.common.config.HoodieStorageConfig;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.io.storage.row.HoodieInternalRowParquetWriter;
import org.apache.hudi.io.storage.row.HoodieRowParquetWriteSupport;
import org.apache.hudi.storage.StoragePath;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.io.InvalidRecordException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of our writer beside files of Hudi's, of the same rows. */
class RowWriterTest {

  private static final int ROWS = 2_500;

  private static final StructType FLAT =
      StructType.fromDDL(
          "_hoodie_record_key string, flag boolean, small smallint, number int, large bigint,"
              + " single float, double double, text string, bytes binary, day date, at timestamp,"
              + " local timestamp_ntz, d1 decimal(1,0), d4 decimal(4,4), d7 decimal(7,2),"
              + " d9 decimal(9,3), d10 decimal(10,0), d18 decimal(18,6), d19 decimal(19,2),"
              + " d38 decimal(38,10)");

  private static final StructType DRAWN =
      StructType.fromDDL(
          "_hoodie_record_key string, number bigint, text string, double double, nullable bigint,"
              + " few int");

  private static final int ONE_ROW_GROUP = 64 << 20;

  private static final int HUDIS_PAGE = 1 << 20;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void flatRowsBecomeTheSameBytes(int seed) throws IOException {
    List<InternalRow> rows = rows(FLAT, seed);
    assertThat(rows(FLAT, seed + 1)).isNotEqualTo(rows);
    assertThat(written(RowWriter.class, FLAT, rows))
        .isEqualTo(written(HoodieRowParquetWriteSupport.class, FLAT, rows));
  }

  @Test
  void rowsInSparksBinaryFormatBecomeTheSameBytes() throws IOException {
    UnsafeProjection unsafe = UnsafeProjection.create(FLAT);
    List<InternalRow> rows = new ArrayList<>();
    rows(FLAT, 4).forEach(row -> rows.add(unsafe.apply(row).copy()));
    assertThat(written(RowWriter.class, FLAT, rows))
        .isEqualTo(written(HoodieRowParquetWriteSupport.class, FLAT, rows(FLAT, 4)));
  }

  @Test
  void rowsWithNestedFieldsBecomeTheSameBytes() throws IOException {
    StructType nested = FLAT.add("s", StructType.fromDDL("x bigint, y decimal(7,2)"));
    List<InternalRow> rows = rows(nested, 5);
    assertThat(written(RowWriter.class, nested, rows))
        .isEqualTo(written(HoodieRowParquetWriteSupport.class, nested, rows));
  }

  @Test
  void rowsWithoutTheLastColumnsBecomeTheSameBytes() throws IOException {
    List<InternalRow> rows = new ArrayList<>();
    for (InternalRow row : rows(FLAT, 6)) {
      Object[] values = ((GenericInternalRow) row).values();
      rows.add(new GenericInternalRow(Arrays.copyOf(values, values.length - 2)));
    }
    assertThat(written(RowWriter.class, FLAT, rows))
        .isEqualTo(written(HoodieRowParquetWriteSupport.class, FLAT, rows));
  }

  @Test
  void rowsOfRequiredColumnsBecomeTheSameBytes() throws IOException {
    List<InternalRow> rows = new ArrayList<>();
    for (InternalRow row : rows(FLAT, 7)) {
      if (!row.anyNull()) {
        rows.add(row);
      }
    }
    assertThat(rows).hasSizeGreaterThan(100);
    assertThat(written(RowWriter.class, required(FLAT), rows))
        .isEqualTo(written(HoodieRowParquetWriteSupport.class, required(FLAT), rows));
  }

  /** Hudi lets them pass, and so do we. */
  @Test
  void nullsOfRequiredColumnsBecomeTheSameBytes() throws IOException {
    List<InternalRow> rows = rows(FLAT, 8);
    assertThat(written(RowWriter.class, required(FLAT), rows))
        .isEqualTo(written(HoodieRowParquetWriteSupport.class, required(FLAT), rows));
  }

  @Test
  void columnsOfNullsAloneBecomeTheSameBytes() throws IOException {
    List<InternalRow> rows = rows(FLAT, 9);
    for (int i = 0; i < rows.size(); i++) {
      Object[] values = new Object[FLAT.length()];
      values[0] = UTF8String.fromString("key-" + i);
      rows.set(i, new GenericInternalRow(values));
    }
    assertThat(written(RowWriter.class, FLAT, rows))
        .isEqualTo(written(HoodieRowParquetWriteSupport.class, FLAT, rows));
  }

  /** Debug logs of Parquet wrap it, too: what they are told is all of it. */
  @Test
  void rowsGoThroughAWrappedConsumerToTheSameBytes() throws IOException {
    List<InternalRow> rows = rows(FLAT, 10);
    assertThat(written(ValidatedRowWriter.class, FLAT, rows))
        .isEqualTo(written(HoodieRowParquetWriteSupport.class, FLAT, rows));
  }

  @Test
  void aWrapperOfTheConsumerIsNotPassedBy() {
    InternalRow row = rows(FLAT, 11).get(0);
    row.setNullAt(FLAT.length() - 1);
    assertThatThrownBy(() -> written(ValidatedRowWriter.class, required(FLAT), List.of(row)))
        .hasStackTraceContaining(InvalidRecordException.class.getName());
  }

  private static StructType required(StructType schema) {
    return new StructType(
        Arrays.stream(schema.fields())
            .map(field -> new StructField(field.name(), field.dataType(), false, field.metadata()))
            .toArray(StructField[]::new));
  }

  /** Of a page, of less than one, and of more; the most that values are drawn from, 0 for all. */
  @ParameterizedTest(name = "{0} rows, drawn from {1}")
  @CsvSource({"3000, 0", "3000, 100", "3000, 2000", "21000, 0", "21000, 5000", "21000, 150000"})
  void valuesThatHardlyEverOccurTwiceBecomeTheSameBytes(int count, long most) throws IOException {
    Random random = new Random(count + most);
    List<InternalRow> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      rows.add(drawn(i, random.nextLong(), most));
    }
    assertThat(written(RowWriter.class, DRAWN, rows, ONE_ROW_GROUP, HUDIS_PAGE))
        .isEqualTo(
            written(HoodieRowParquetWriteSupport.class, DRAWN, rows, ONE_ROW_GROUP, HUDIS_PAGE));
  }

  /** Hudi's writer looks at the first page when it is full, which is larger. */
  @Test
  void dictionariesAreJudgedByTheFirstThousandRows() throws IOException {
    List<InternalRow> rows = new ArrayList<>();
    for (int i = 0; i < 21_000; i++) {
      rows.add(drawn(i, i < 1_000 ? i * 7_919L : 1, 0));
    }
    written(RowWriter.class, DRAWN, rows, ONE_ROW_GROUP, HUDIS_PAGE);
    written(HoodieRowParquetWriteSupport.class, DRAWN, rows, ONE_ROW_GROUP, HUDIS_PAGE);
    assertThat(columnsWithDictionaries(RowWriter.class)).doesNotContain("number", "text");
    assertThat(columnsWithDictionaries(HoodieRowParquetWriteSupport.class))
        .contains("number", "text");
  }

  private static InternalRow drawn(int i, long random, long most) {
    long number = most == 0 ? random : Math.floorMod(random, most);
    return new GenericInternalRow(
        new Object[] {
          UTF8String.fromString("key-" + i),
          number,
          UTF8String.fromString("text of some length " + number),
          number * 0.5,
          i % 3 == 0 ? null : number,
          (int) Math.floorMod(number, 10L)
        });
  }

  private List<String> columnsWithDictionaries(Class<?> writer) throws IOException {
    HadoopInputFile file =
        HadoopInputFile.fromPath(
            new org.apache.hadoop.fs.Path(file(writer).toUri()), new Configuration(false));
    try (ParquetFileReader reader = ParquetFileReader.open(file)) {
      return reader.getFooter().getBlocks().get(0).getColumns().stream()
          .filter(ColumnChunkMetaData::hasDictionaryPage)
          .map(chunk -> chunk.getPath().toDotString())
          .collect(Collectors.toList());
    }
  }

  @Test
  void aDecimalOfMoreDigitsThanItsTypeIsRefused() {
    StructType schema = StructType.fromDDL("_hoodie_record_key string, d decimal(4,0)");
    InternalRow row =
        new GenericInternalRow(
            new Object[] {UTF8String.fromString("k"), Decimal.createUnsafe(40_000, 4, 0)});
    assertThatThrownBy(() -> written(RowWriter.class, schema, List.of(row)))
        .isInstanceOf(ArithmeticException.class)
        .hasMessage("a value has more digits than its type, DECIMAL(4,0)");
  }

  /** In several row groups, with pages of dictionaries that were given up. */
  private byte[] written(Class<?> writer, StructType schema, List<InternalRow> rows)
      throws IOException {
    return written(writer, schema, rows, 64 << 10, 4 << 10);
  }

  private byte[] written(
      Class<?> writer, StructType schema, List<InternalRow> rows, int rowGroupBytes, int pageBytes)
      throws IOException {
    HoodieSchema hoodieSchema =
        HoodieSchemaConversionUtils.convertStructTypeToHoodieSchema(schema, "row", "test");
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder()
            .withPath(folder.toString())
            .withSchema(hoodieSchema.toString())
            .build();
    config.setValue(
        HoodieStorageConfig.HOODIE_PARQUET_SPARK_ROW_WRITE_SUPPORT_CLASS, writer.getName());
    config.setValue(HoodieStorageConfig.PARQUET_COMPRESSION_CODEC_NAME, "uncompressed");
    // Ours is made for the keys that there are.
    config.setValue(
        HoodieStorageConfig.BLOOM_FILTER_NUM_ENTRIES_VALUE, String.valueOf(rows.size()));
    config.setValue(HoodieStorageConfig.PARQUET_BLOCK_SIZE, String.valueOf(rowGroupBytes));
    config.setValue(HoodieStorageConfig.PARQUET_PAGE_SIZE, String.valueOf(pageBytes));
    HoodieRowParquetWriteSupport support =
        ParquetSize.writeSupport(config, new Configuration(false), schema);
    assertThat(support).isExactlyInstanceOf(writer);
    Path file = file(writer);
    HoodieInternalRowParquetWriter out =
        HudiCalls.here().rowFile(new StoragePath(file.toUri()), support, config);
    for (InternalRow row : rows) {
      out.writeRow(row.getUTF8String(0), row);
    }
    out.close();
    return Files.readAllBytes(file);
  }

  private Path file(Class<?> writer) {
    return folder.resolve(writer.getSimpleName() + ".parquet");
  }

  private static List<InternalRow> rows(StructType schema, int seed) {
    Random random = new Random(seed);
    List<InternalRow> rows = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      rows.add(row(schema, random));
    }
    return rows;
  }

  /** A row of random values and, but for the key, nulls. */
  private static GenericInternalRow row(StructType schema, Random random) {
    Object[] values = new Object[schema.length()];
    for (int f = 0; f < values.length; f++) {
      StructField field = schema.fields()[f];
      boolean isKey = field.name().equals("_hoodie_record_key");
      values[f] = isKey || random.nextInt(9) > 0 ? value(field.dataType(), random) : null;
    }
    return new GenericInternalRow(values);
  }

  private static Object value(DataType type, Random random) {
    // Some often, so that dictionaries are kept.
    boolean often = random.nextBoolean();
    switch (type.typeName()) {
      case "boolean":
        return random.nextBoolean();
      case "short":
        return (short) random.nextInt();
      case "integer":
        return often ? 7 : random.nextInt();
      case "long":
        return often ? -7L : random.nextLong();
      case "float":
        return Float.intBitsToFloat(random.nextInt());
      case "double":
        return often ? Double.NaN : Double.longBitsToDouble(random.nextLong());
      case "string":
        return UTF8String.fromString("text ä " + random.nextInt(often ? 5 : 1 << 30));
      case "binary":
        return BigInteger.valueOf(random.nextLong()).toByteArray();
      case "date":
        return random.nextInt(40_000);
      case "timestamp":
      case "timestamp_ntz":
        return random.nextLong() >>> 14;
      case "struct":
        return row((StructType) type, random);
      default:
        return decimal((DecimalType) type, random);
    }
  }

  private static Decimal decimal(DecimalType type, Random random) {
    BigInteger bound = BigInteger.TEN.pow(1 + random.nextInt(type.precision()));
    BigInteger unscaled = new BigInteger(bound.bitLength() + 4, random).mod(bound);
    BigDecimal value =
        new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), type.scale());
    return Decimal.apply(value, type.precision(), type.scale());
  }
}
