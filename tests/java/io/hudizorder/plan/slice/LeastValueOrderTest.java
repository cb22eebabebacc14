package io.hudizorder.plan.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.spark.SortColumn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.hadoop.HoodieHadoopStorage;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LeastValueOrderTest {

  private static final Map<Class<?>, String> PHYSICAL =
      Map.of(
          Integer.class, "int32 a",
          Long.class, "int64 a",
          Float.class, "float a",
          Double.class, "double a",
          String.class, "binary a (UTF8)",
          byte[].class, "binary a",
          Binary.class, "int96 a");

  @TempDir Path folder;

  static Stream<Arguments> files() {
    return Stream.of(
        Arguments.of("bigint", List.of(3L, 1, 2L), "1 2 0"),
        Arguments.of("double", List.of(3L, 1, 2.5F, 0.5), "3 1 2 0"),
        Arguments.of("double", List.of(2.75, 2.5F, 2L), "2 1 0"),
        Arguments.of("decimal(20,2)", List.of(3L, 1, 2.5F, 0.5), "3 1 2 0"),
        // A first byte beyond 127 comes last.
        Arguments.of("binary", List.of(new byte[] {-1}, new byte[] {1}, "b"), "1 2 0"),
        Arguments.of("string", List.of("é", "a", "b"), "1 2 0"),
        // No order in common: as text, 10 comes before 9.
        Arguments.of("string", List.of("b", 9L, "a"), "1 2 0"),
        Arguments.of("decimal(20,2)", List.of(1L, Float.NEGATIVE_INFINITY), "1 0"),
        Arguments.of("timestamp", List.of(Binary.fromConstantByteArray(new byte[12])), "0"),
        Arguments.of(
            "bigint", List.of(2L, Binary.fromConstantByteArray(new byte[12]), 1), "1 2 0"));
  }

  @ParameterizedTest
  @MethodSource("files")
  void filesFromBeforeATypeWasWidenedAreOrderedAmongTheOthers(
      String type, List<Object> values, String order) throws IOException {
    List<FileSlice> slices = new ArrayList<>();
    for (Object value : values) {
      slices.add(slice(Integer.toString(slices.size()), value));
    }
    SortColumn column =
        SortColumn.resolve(StructType.fromDDL("a " + type), List.of("A"), List.of()).get(0);

    assertThat(LeastValueOrder.of(storage(), column).sort(slices))
        .extracting(FileSlice::getFileId)
        .containsExactly(order.split(" "));
  }

  private HoodieStorage storage() {
    return new HoodieHadoopStorage(folder.toString(), new Configuration());
  }

  private FileSlice slice(String id, Object value) throws IOException {
    String file = folder.resolve(id + "_0-0-0_001.parquet").toString();
    write(file, value);
    FileSlice slice = new FileSlice(new HoodieFileGroupId("", id), "001");
    slice.setBaseFile(new HoodieBaseFile(file));
    return slice;
  }

  private static void write(String file, Object value) throws IOException {
    MessageType schema =
        MessageTypeParser.parseMessageType("message t { optional " + physical(value) + "; }");
    try (ParquetWriter<Group> writer =
        ExampleParquetWriter.builder(new org.apache.hadoop.fs.Path(file))
            .withType(schema)
            .build()) {
      Group row = new SimpleGroupFactory(schema).newGroup();
      add(row, value);
      writer.write(row);
    }
  }

  private static String physical(Object value) {
    return PHYSICAL.entrySet().stream()
        .filter(type -> type.getKey().isInstance(value))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElseThrow();
  }

  private static void add(Group row, Object value) {
    if (value instanceof Integer) {
      row.add("a", (Integer) value);
    } else if (value instanceof Long) {
      row.add("a", (Long) value);
    } else if (value instanceof Float) {
      row.add("a", (Float) value);
    } else if (value instanceof Double) {
      row.add("a", (Double) value);
    } else if (value instanceof String) {
      row.add("a", (String) value);
    } else if (value instanceof byte[]) {
      row.add("a", Binary.fromConstantByteArray((byte[]) value));
    } else {
      row.add("a", (Binary) value);
    }
  }
}
