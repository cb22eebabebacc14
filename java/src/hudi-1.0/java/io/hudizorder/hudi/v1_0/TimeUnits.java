package io.hudizorder.hudi.v1_0;

import static org.apache.hudi.common.config.HoodieStorageConfig.PARQUET_OUTPUT_TIMESTAMP_TYPE;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.avro.LogicalType;
import org.apache.avro.Schema;
import org.apache.hudi.config.HoodieWriteConfig;

/**
 * In which units a schema has its times. Until Hudi 1.0 Spark's own writer makes the files of rows,
 * which knows one unit for all times of a file, and microseconds alone for those without a zone;
 * and readers of records take a number of any file for one of the table's unit.
 */
public final class TimeUnits {

  private TimeUnits() {}

  /**
   * Has files hold times in the table's unit.
   *
   * @throws IllegalArgumentException when no file can
   */
  static void prepareRowWriter(HoodieWriteConfig config, Schema schema) {
    Set<String> times = of(schema);
    if (times.contains("local-timestamp-millis")
        || times.containsAll(Set.of("timestamp-millis", "timestamp-micros"))) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot cluster: table '%s' has times in milliseconds that Hudi before 1.1 cannot write"
                  + " beside others, or without a zone; cluster by Hudi 1.1 or later",
              config.getBasePath()));
    }
    if (times.contains("timestamp-millis")) {
      config.setValue(PARQUET_OUTPUT_TIMESTAMP_TYPE, "TIMESTAMP_MILLIS");
    }
  }

  /** Whether two schemas, of a file and of its table, have their times in the same units. */
  public static boolean areSame(Schema file, Schema table) {
    return units(file).equals(units(table));
  }

  private static Set<String> units(Schema schema) {
    return of(schema).stream()
        .map(name -> name.substring(name.lastIndexOf('-') + 1))
        .collect(Collectors.toSet());
  }

  /** The logical types of all times, at every depth. */
  private static Set<String> of(Schema schema) {
    Set<String> found = new HashSet<>();
    collect(schema, found, new HashSet<>());
    return found;
  }

  private static void collect(Schema schema, Set<String> found, Set<String> records) {
    LogicalType type = schema.getLogicalType();
    if (type != null && type.getName().contains("timestamp")) {
      found.add(type.getName());
    }
    switch (schema.getType()) {
      case RECORD:
        if (records.add(schema.getFullName())) { // a record may hold itself
          schema.getFields().forEach(field -> collect(field.schema(), found, records));
        }
        break;
      case ARRAY:
        collect(schema.getElementType(), found, records);
        break;
      case MAP:
        collect(schema.getValueType(), found, records);
        break;
      case UNION:
        schema.getTypes().forEach(part -> collect(part, found, records));
        break;
      default:
        break;
    }
  }
}
