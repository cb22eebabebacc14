package io.hudizorder.spark.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrailingFieldsTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 33, 61, 62, 65, 126, 129})
  void rowsReadAsIfTheLastFieldsHadNeverBeen(int kept) {
    assertThat(TrailingFields.areDroppable(kept, 2)).isTrue();
    List<InternalRow> rows = List.of(row(kept + 2, 1), row(kept + 2, 2));

    Iterator<InternalRow> shorter = TrailingFields.drop(unsafe(rows, kept + 2), kept);

    List<List<Object>> read = new ArrayList<>();
    shorter.forEachRemaining(row -> read.add(values(row)));
    assertThat(read).containsExactly(values(row(kept, 1)), values(row(kept, 2)));
  }

  @Test
  void rowsWithMoreNullBitsAreNotShortened() {
    assertThat(TrailingFields.areDroppable(62, 2)).isTrue();
    assertThat(TrailingFields.areDroppable(63, 2)).isFalse();
    assertThat(TrailingFields.areDroppable(64, 2)).isFalse();
    assertThat(TrailingFields.areDroppable(65, 2)).isTrue();
  }

  /** Numbers, texts and nulls in turn. */
  private static InternalRow row(int fields, int seed) {
    Object[] values = new Object[fields];
    for (int i = 0; i < fields; i++) {
      values[i] =
          (i + seed) % 3 == 0
              ? null
              : i % 2 == 0 ? (Object) (long) (i * seed) : UTF8String.fromString("text " + i * seed);
    }
    return new GenericInternalRow(values);
  }

  private static DataType[] types(int fields) {
    return IntStream.range(0, fields)
        .mapToObj(i -> i % 2 == 0 ? DataTypes.LongType : DataTypes.StringType)
        .toArray(DataType[]::new);
  }

  private static Iterator<InternalRow> unsafe(List<InternalRow> rows, int fields) {
    UnsafeProjection projection = UnsafeProjection.create(types(fields));
    return rows.stream().map(row -> (InternalRow) projection.apply(row).copy()).iterator();
  }

  private static List<Object> values(InternalRow row) {
    DataType[] types = types(row.numFields());
    return IntStream.range(0, row.numFields())
        .mapToObj(i -> row.isNullAt(i) ? "null" : row.get(i, types[i]))
        .collect(Collectors.toList());
  }
}
