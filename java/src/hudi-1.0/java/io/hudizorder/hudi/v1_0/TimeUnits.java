package io.hudizorder.hudi.v1_0;

import static org.apache.hudi.common.config.HoodieStorageConfig.PARQUET_OUTPUT_TIMESTAMP_TYPE;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.avro.LogicalType;
import org.apache.avro.Schema;
import org.apache.hudi.config.HoodieWriteConfig;

/**
 * In which units a schema has its times. Until Hudi 1.0 Spark's own writer makes the files of rows,
 * which knows one unit for all times of a file, and microseconds alone for those without a zone;
 * and readers of records take a number of any file for one of the table's unit. No record holds
 * itself: Spark has converted the schema before, and refuses that.
 */
public final class TimeUnits {

  private TimeUnits() {}

  /** Refuses times that no file could hold in the table's unit. */
  static void requireWritable(Schema schema) {
    Set<String> times = of(schema);
    if (times.contains("local-timestamp-millis")
        || times.containsAll(Set.of("timestamp-millis", "timestamp-micros"))) {
      throw new IllegalArgumentException(
          "Cannot cluster: the table has times in milliseconds that Hudi before 1.1 cannot write"
              + " beside others, or without a zone; cluster by Hudi 1.1 or later");
    }
  }

  /**
   * Has files hold times in the table's unit, whichever a client's options name: microseconds would
   * be cut off, and Hudi's readers of records know no times of 96 bits.
   *
   * @param schema whose times are writable
   */
  static void prepareRowWriter(HoodieWriteConfig config, Schema schema) {
    Set<String> times = of(schema);
    if (times.contains("timestamp-millis")) {
      config.setValue(PARQUET_OUTPUT_TIMESTAMP_TYPE, "TIMESTAMP_MILLIS");
    } else if (times.contains("timestamp-micros")) {
      config.setValue(PARQUET_OUTPUT_TIMESTAMP_TYPE, "TIMESTAMP_MICROS");
    }
  }

  /**
   * Whether the times that a file and its table both have are in the same units. A file lacks what
   * was added later, and has what was dropped since.
   */
  public static boolean areSame(Schema file, Schema table) {
    return branches(file)
        .allMatch(of -> branches(table).allMatch(other -> areSameInOne(of, other)));
  }

  private static boolean areSameInOne(Schema file, Schema table) {
    if (file.getType() != table.getType()) {
      return true; // null and a value, or what was promoted: none is a time, or but one
    }
    switch (file.getType()) {
      case RECORD:
        return table.getFields().stream()
            .filter(field -> file.getField(field.name()) != null)
            .allMatch(field -> areSame(file.getField(field.name()).schema(), field.schema()));
      case ARRAY:
        return areSame(file.getElementType(), table.getElementType());
      case MAP:
        return areSame(file.getValueType(), table.getValueType());
      default:
        return !isTime(file) || !isTime(table) || unit(file).equals(unit(table));
    }
  }

  private static Stream<Schema> branches(Schema schema) {
    return schema.isUnion() ? schema.getTypes().stream() : Stream.of(schema);
  }

  private static String unit(Schema time) {
    String name = time.getLogicalType().getName();
    return name.substring(name.lastIndexOf('-') + 1);
  }

  private static boolean isTime(Schema schema) {
    LogicalType type = schema.getLogicalType();
    return type != null && type.getName().contains("timestamp");
  }

  /** The logical types of all times, at every depth. */
  private static Set<String> of(Schema schema) {
    Set<String> found = new HashSet<>();
    collect(schema, found);
    return found;
  }

  private static void collect(Schema schema, Set<String> found) {
    if (isTime(schema)) {
      found.add(schema.getLogicalType().getName());
    }
    switch (schema.getType()) {
      case RECORD:
        schema.getFields().forEach(field -> collect(field.schema(), found));
        break;
      case ARRAY:
        collect(schema.getElementType(), found);
        break;
      case MAP:
        collect(schema.getValueType(), found);
        break;
      case UNION:
        branches(schema).forEach(part -> collect(part, found));
        break;
      default:
        break;
    }
  }
}
