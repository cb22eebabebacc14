package io.hudizorder.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class FooterRangeTest {

  @TempDir Path folder;
  private int files;

  static Stream<Arguments> values() {
    Binary negative = Binary.fromConstantByteArray(new byte[] {-1, 0});
    return Stream.of(
        Arguments.of("int32 a", List.of(1, 2), List.of(1, 2)),
        Arguments.of("int64 a", List.of(1L, 2L), List.of(1L, 2L)),
        Arguments.of("double a", List.of(1.0, 2.0), List.of(1.0, 2.0)),
        Arguments.of(
            "int32 a (DATE)",
            List.of(-1, 1),
            List.of(LocalDate.of(1969, 12, 31), LocalDate.of(1970, 1, 2))),
        Arguments.of(
            "int64 a (TIMESTAMP(MILLIS,true))",
            List.of(-1L, 1L),
            List.of(Instant.ofEpochMilli(-1), Instant.ofEpochMilli(1))),
        Arguments.of(
            "int64 a (TIMESTAMP(MICROS,true))",
            List.of(-1_000L, 1_000L),
            List.of(Instant.ofEpochMilli(-1), Instant.ofEpochMilli(1))),
        Arguments.of(
            "int64 a (TIMESTAMP(NANOS,true))",
            List.of(-1_000_000L, 1_000_000L),
            List.of(Instant.ofEpochMilli(-1), Instant.ofEpochMilli(1))),
        Arguments.of(
            "int64 a (TIMESTAMP(MICROS,false))",
            List.of(0L, 1_000_000L),
            List.of(LocalDateTime.of(1970, 1, 1, 0, 0), LocalDateTime.of(1970, 1, 1, 0, 0, 1))),
        Arguments.of(
            "int32 a (DECIMAL(9,2))",
            List.of(-150, 5),
            List.of(new BigDecimal("-1.50"), new BigDecimal("0.05"))),
        Arguments.of(
            "binary a (DECIMAL(9,2))",
            List.of(negative, Binary.fromConstantByteArray(new byte[] {5})),
            List.of(new BigDecimal("-2.56"), new BigDecimal("0.05"))),
        Arguments.of(
            "binary a (UTF8)",
            List.of(Binary.fromString("a"), Binary.fromString("é")),
            List.of("a", "é")),
        Arguments.of(
            "binary a",
            List.of(Binary.fromString("a"), negative),
            List.of(Binary.fromString("a").toByteBuffer(), negative.toByteBuffer())));
  }

  @ParameterizedTest
  @MethodSource("values")
  void aRangeHasTheValuesOfItsType(String column, List<Object> values, List<Object> range)
      throws IOException {
    assertThat(range(column, values)).isEqualTo(range);
  }

  static Stream<Arguments> groups() {
    List<Object> nulls = Arrays.asList(null, null);
    return Stream.of(
        Arguments.of(List.of(List.of(3.0), List.of(1.0, 2.0)), List.of(1.0, 3.0)),
        Arguments.of(List.of(nulls, List.of(2.0), nulls), List.of(2.0, 2.0)),
        Arguments.of(List.of(Arrays.asList(null, 4.0), List.of(2.0)), List.of(2.0, 4.0)),
        Arguments.of(List.of(nulls, nulls), nulls),
        // Where there is a NaN, Parquet tells nothing.
        Arguments.of(List.of(List.of(2.0), List.of(1.0, Double.NaN)), List.of()),
        Arguments.of(List.of(nulls, List.of(Double.NaN)), List.of()));
  }

  @ParameterizedTest
  @MethodSource("groups")
  void aRangeIsThatOfAllRowGroups(List<List<Object>> groups, List<Object> range)
      throws IOException {
    assertThat(range("double a", groups.toArray(List[]::new))).isEqualTo(range);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "int32 a",
        "int64 a",
        "float a",
        "int32 a (DATE)",
        "int64 a (TIMESTAMP(MICROS,true))",
        "int32 a (DECIMAL(9,2))",
        "binary a (UTF8)",
        "int96 a"
      })
  void nullsAloneHaveNeitherEndNorZero(String column) throws IOException {
    assertThat(range(column, Arrays.asList(null, null))).containsExactly(null, null);
  }

  @Test
  void aColumnThatAFileLacksHasNullsAlone() throws IOException {
    assertThat(FooterRange.of(footer("int32 a", List.of(1)), List.of("b", "a")))
        .containsExactly(Arrays.asList(null, null), List.of(1, 1));
  }

  @Test
  void timesOf96BitsHaveNoOrder() throws IOException {
    Binary time = Binary.fromConstantByteArray(new byte[12]);

    assertThat(range("int96 a", List.of(time))).isEmpty();
  }

  @SafeVarargs
  private List<Comparable<?>> range(String column, List<Object>... groups) throws IOException {
    ParquetMetadata all = footer(column, groups[0]);
    for (int g = 1; g < groups.length; g++) {
      all.getBlocks().addAll(footer(column, groups[g]).getBlocks());
    }
    return FooterRange.of(all, List.of("a")).get(0);
  }

  private ParquetMetadata footer(String column, List<Object> values) throws IOException {
    org.apache.hadoop.fs.Path file =
        new org.apache.hadoop.fs.Path(folder.resolve(files++ + ".parquet").toUri());
    MessageType schema =
        MessageTypeParser.parseMessageType("message t { optional " + column + "; }");
    try (ParquetWriter<Group> writer =
        ExampleParquetWriter.builder(file).withType(schema).build()) {
      for (Object value : values) {
        Group row = new SimpleGroupFactory(schema).newGroup();
        if (value != null) {
          add(row, value);
        }
        writer.write(row);
      }
    }
    return Footers.read(file, new Configuration());
  }

  private static void add(Group row, Object value) {
    if (value instanceof Integer) {
      row.add("a", (Integer) value);
    } else if (value instanceof Long) {
      row.add("a", (Long) value);
    } else if (value instanceof Double) {
      row.add("a", (Double) value);
    } else {
      row.add("a", (Binary) value);
    }
  }
}
