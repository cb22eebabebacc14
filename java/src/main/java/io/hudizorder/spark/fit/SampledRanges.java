package io.hudizorder.spark.fit;

import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.sample.OnePassSample;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.util.TypeUtils;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.math.Ordering;

/** The least and greatest values of sort columns among the whole rows of a sample, by partition. */
final class SampledRanges {

  private final Map<UTF8String, List<List<Object>>> ranges = new HashMap<>();
  private final int columns;

  SampledRanges(OnePassSample sample, StructType schema, List<SortColumn> columns) {
    this.columns = columns.size();
    OnePassSample.DrawnRows drawn = sample.drawnOfWhole();
    List<UnsafeRow> rows = sample.whole();
    for (int c = 0; c < columns.size(); c++) {
      SortColumn column = columns.get(c);
      String[] path = column.name().split("\\.");
      Ordering<Object> order = TypeUtils.getInterpretedOrdering(column.type());
      for (int row = 0; row < rows.size(); row++) {
        Object value = value(rows.get(row), schema, path);
        if (value != null) {
          widen(of(drawn.path(row)).get(c), value, order);
        }
      }
    }
  }

  /** Column by column the two ends; empty where no value is known. */
  List<List<Object>> of(UTF8String partition) {
    return ranges.computeIfAbsent(
        partition,
        any -> {
          List<List<Object>> unknown = new ArrayList<>();
          for (int c = 0; c < columns; c++) {
            unknown.add(new ArrayList<>());
          }
          return unknown;
        });
  }

  private static void widen(List<Object> range, Object value, Ordering<Object> order) {
    if (range.isEmpty()) {
      range.add(value);
      range.add(value);
    } else if (order.compare(value, range.get(0)) < 0) {
      range.set(0, value);
    } else if (order.compare(value, range.get(1)) > 0) {
      range.set(1, value);
    }
  }

  private static Object value(InternalRow row, StructType schema, String[] path) {
    Object value = row;
    StructType type = schema;
    for (int depth = 0; depth < path.length; depth++) {
      InternalRow struct = (InternalRow) value;
      int field = type.fieldIndex(path[depth]);
      if (struct.isNullAt(field)) {
        return null;
      }
      value = struct.get(field, type.fields()[field].dataType());
      if (depth < path.length - 1) {
        type = (StructType) type.fields()[field].dataType();
      }
    }
    return value;
  }
}
