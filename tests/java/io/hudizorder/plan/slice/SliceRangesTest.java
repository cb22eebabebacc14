package io.hudizorder.plan.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.spark.SortColumn;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.common.model.BaseFile;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.storage.hadoop.HoodieHadoopStorage;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SliceRangesTest {

  private static final MessageType SCHEMA =
      MessageTypeParser.parseMessageType(
          "message t { optional int32 day (DATE); optional double price; required int64 id; }");
  private static final List<Comparable<?>> UNKNOWN = List.of();

  @TempDir Path folder;

  /** Which are no 0, and no day of 1970. */
  @Test
  void nullsAloneAreToldApartFromValues() throws IOException {
    HoodieBaseFile file = write(null, null, null, 1.5);

    assertThat(ranges(file))
        .containsExactly(SliceRanges.NULLS_ALONE, List.of(1.5, 1.5), SliceRanges.NULLS_ALONE);
  }

  @Test
  void aRangeWithANanIsUnknown() throws IOException {
    HoodieBaseFile file = write(1, 2.5, 3, Double.NaN);

    assertThat(ranges(file))
        .containsExactly(
            List.of(LocalDate.ofEpochDay(1), LocalDate.ofEpochDay(3)),
            UNKNOWN,
            SliceRanges.NULLS_ALONE);
  }

  @Test
  void whatTheSkeletonOfABootstrapIsWithoutIsUnknown() throws IOException {
    HoodieBaseFile file = write(1, 2.5, 3, 4.5);
    file.setBootstrapBaseFile(new BaseFile(folder.resolve("elsewhere.parquet").toString()));

    assertThat(ranges(file)).containsExactly(UNKNOWN, UNKNOWN, UNKNOWN);
  }

  /** Which is no column of nulls: it may be one that the file has by an older name. */
  @Test
  void aColumnThatAFileLacksIsUnknownWhereColumnsAreRenamed() throws IOException {
    HoodieBaseFile file = write(null, 2.5, null, 4.5);

    assertThat(ranges(file, true))
        .containsExactly(SliceRanges.NULLS_ALONE, List.of(2.5, 4.5), UNKNOWN);
  }

  /** They have another order: as a text 9 comes after 10. */
  @Test
  void numbersThatHaveBecomeTextsAreUnknown() throws IOException {
    HoodieBaseFile file = write(1, 9.0, 3, 10.0);

    assertThat(ranges(file, false, "day date, price string, added string, id bigint"))
        .containsExactly(
            List.of(LocalDate.ofEpochDay(1), LocalDate.ofEpochDay(3)),
            UNKNOWN,
            SliceRanges.NULLS_ALONE);
  }

  @Test
  void infinityIsNoNumberOfAColumnThatHasBecomeOneOfDecimals() throws IOException {
    HoodieBaseFile file = write(1, 2.5, 3, Double.POSITIVE_INFINITY);

    assertThat(ranges(file, false, "day date, price decimal(9,2), added string, id bigint").get(1))
        .isEqualTo(UNKNOWN);
  }

  private List<List<Comparable<?>>> ranges(HoodieBaseFile file) {
    return ranges(file, false);
  }

  /** Of the two columns, and of one that was added later, or renamed. */
  private List<List<Comparable<?>>> ranges(HoodieBaseFile file, boolean evolvedOnRead) {
    return ranges(file, evolvedOnRead, "day date, price double, added string, id bigint");
  }

  private List<List<Comparable<?>>> ranges(
      HoodieBaseFile file, boolean evolvedOnRead, String table) {
    List<SortColumn> columns =
        SortColumn.resolve(StructType.fromDDL(table), List.of("day", "price", "added"), List.of());
    FileSlice slice = new FileSlice(new HoodieFileGroupId("", "0"), "001");
    slice.setBaseFile(file);
    return new SliceRanges(
            new HoodieHadoopStorage(folder.toString(), new Configuration()), columns, evolvedOnRead)
        .of(List.of(slice))
        .get(0)
        .ranges();
  }

  /** Two rows, each of a day and a price. */
  private HoodieBaseFile write(Object... values) throws IOException {
    String file = folder.resolve("0_0-0-0_001.parquet").toString();
    try (ParquetWriter<Group> writer =
        ExampleParquetWriter.builder(new org.apache.hadoop.fs.Path(file))
            .withType(SCHEMA)
            .build()) {
      for (int row = 0; row < 2; row++) {
        Group group = new SimpleGroupFactory(SCHEMA).newGroup();
        Object day = values[2 * row];
        Object price = values[2 * row + 1];
        if (day != null) {
          group.add("day", (Integer) day);
        }
        if (price != null) {
          group.add("price", (Double) price);
        }
        group.add("id", (long) row);
        writer.write(group);
      }
    }
    return new HoodieBaseFile(file);
  }
}
