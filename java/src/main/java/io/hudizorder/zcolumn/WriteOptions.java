package io.hudizorder.zcolumn;

import static java.util.stream.Collectors.toSet;
import static scala.collection.JavaConverters.mapAsJavaMap;

import io.hudizorder.option.ChosenValues;
import io.hudizorder.option.OwnOptions;
import io.hudizorder.spark.SortColumn;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.hudi.DataSourceWriteOptions;
import org.apache.hudi.HoodieSchemaConversionUtils;
import org.apache.hudi.common.config.HoodieStorageConfig;
import org.apache.hudi.common.config.RecordMergeMode;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** What the options of a write say of its z-column, and of what could make it untrue. */
final class WriteOptions {

  private static final String PAYLOAD = "hoodie.datasource.write.payload.class";

  /** As a writer, a table of the catalog, and the table itself have them. */
  private static final List<String> KEYS_AND_ORDERING =
      List.of(
          DataSourceWriteOptions.RECORDKEY_FIELD().key(),
          HoodieTableConfig.RECORDKEY_FIELDS.key(),
          DataSourceWriteOptions.PRECOMBINE_FIELD().key(),
          "hoodie.table.precombine.field",
          "hoodie.table.ordering.fields");

  private final Map<String, String> options;

  WriteOptions(scala.collection.Map<String, String> options) {
    this.options = mapAsJavaMap(options);
  }

  String get(String key) {
    return options.get(key);
  }

  /** The columns that the writer partitions the table by. */
  List<String> partitions() {
    return TablePartitions.named(options.get(DataSourceWriteOptions.PARTITIONPATH_FIELD().key()));
  }

  /**
   * The z-column that the writer wants, of columns as the table will have them.
   *
   * @param partitions columns of which it cannot be made
   */
  Optional<ZColumnDefinition> wanted(StructType schema, List<String> partitions, String table) {
    String name = options.get(OwnOptions.Z_COLUMN.key());
    if (name == null || name.isBlank()) {
      return Optional.empty();
    }
    List<String> names = ChosenValues.of(new Properties()).overlaidWith(options).sortColumns();
    List<SortColumn> found = SortColumn.resolve(schema, names, partitions);
    for (SortColumn column : found) {
      if (!column.root().equals(column.name())) {
        throw new IllegalArgumentException(
            String.format(
                "Cannot write to '%s': the z-column '%s' is made of '%s', which is a field of a"
                    + " column; name whole columns",
                table, name, column.name()));
      }
    }
    requireOwnName(name.trim(), found, schema, partitions, table);
    StructType stored = stored(schema);
    List<StructField> fields =
        found.stream().map(column -> stored.apply(column.name())).collect(Collectors.toList());
    return Optional.of(ZColumnDefinition.of(name.trim(), fields));
  }

  /** Refuses a z-column that holds something else by now, or is to: a write puts z-values there. */
  private void requireOwnName(
      String name,
      List<SortColumn> columns,
      StructType schema,
      List<String> partitions,
      String table) {
    List<String> own = columns.stream().map(SortColumn::name).collect(Collectors.toList());
    refuse(name, own, "one of its own columns", table);
    refuse(name, partitions, "a partition column", table);
    List<String> keys =
        KEYS_AND_ORDERING.stream()
            .flatMap(key -> TablePartitions.named(options.get(key)).stream())
            .collect(Collectors.toList());
    refuse(name, keys, "a column of the record key or of the ordering", table);
    List<String> others =
        Arrays.stream(schema.fields())
            .filter(field -> !(field.dataType() instanceof StringType))
            .map(StructField::name)
            .collect(Collectors.toList());
    refuse(name, others, "a column of another type than text", table);
  }

  private static void refuse(String name, List<String> taken, String what, String table) {
    if (taken.stream().anyMatch(name::equalsIgnoreCase)) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot write to '%s': '%s' was '%s', which is %s; its values would be gone, so give"
                  + " the z-column a name of its own",
              table, OwnOptions.Z_COLUMN.key(), name, what));
    }
  }

  /** The schema as Hudi gives it back: it stores a short as an int. */
  private static StructType stored(StructType schema) {
    return HoodieSchemaConversionUtils.convertHoodieSchemaToStructType(
        HoodieSchemaConversionUtils.convertUserStructTypeToHoodieSchema(schema, "t", "t"));
  }

  /** Whether a schema can have a z-column: its columns are there, of the same types. */
  static boolean fits(ZColumnDefinition definition, StructType schema) {
    StructType stored = stored(schema);
    List<String> names = names(stored);
    boolean columns = true;
    for (int i = 0; i < definition.columns().size(); i++) {
      int index = names.indexOf(lower(definition.columns().get(i)));
      columns &=
          index >= 0
              && stored
                  .fields()[index]
                  .dataType()
                  .catalogString()
                  .equals(definition.types().get(i));
    }
    int own = names.indexOf(lower(definition.name()));
    return columns && (own < 0 || stored.fields()[own].dataType() instanceof StringType);
  }

  /** Whether a schema has the z-column itself. */
  static boolean has(ZColumnDefinition definition, StructType schema) {
    return names(schema).contains(lower(definition.name()));
  }

  private static List<String> names(StructType schema) {
    return Arrays.stream(schema.fieldNames()).map(WriteOptions::lower).collect(Collectors.toList());
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** Refuses what puts a row together of several records, or stores less than was in it. */
  void check(String table, ZColumnDefinition definition) {
    String payload = options.get(PAYLOAD);
    for (String key :
        List.of(HoodieWriteConfig.RECORD_MERGE_MODE.key(), "hoodie.record.merge.mode")) {
      if (RecordMergeMode.CUSTOM.name().equalsIgnoreCase(options.get(key))) {
        throw refused(table, definition, key, options.get(key));
      }
    }
    String precision = options.get(HoodieStorageConfig.PARQUET_OUTPUT_TIMESTAMP_TYPE.key());
    if ("TIMESTAMP_MILLIS".equals(precision) && definition.types().contains("timestamp")) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot write to '%s': '%s' was '%s', and its z-column '%s' is made of timestamps to"
                  + " the microsecond; leave it out",
              table,
              HoodieStorageConfig.PARQUET_OUTPUT_TIMESTAMP_TYPE.key(),
              precision,
              definition.name()));
    }
    Optional<String> cut = cutOff(definition);
    if (cut.isPresent()) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot write to '%s': '%s' has '%s' in milliseconds, and its z-column '%s' is made of"
                  + " times to the microsecond; have it in microseconds there, or leave it out",
              table, HoodieWriteConfig.WRITE_SCHEMA_OVERRIDE.key(), cut.get(), definition.name()));
    }
    if (!RecordMerging.isWhole(payload)) {
      throw refused(table, definition, PAYLOAD, payload);
    }
  }

  /** The first column that the writer's own schema cuts off at milliseconds. */
  private Optional<String> cutOff(ZColumnDefinition definition) {
    String schema = options.get(HoodieWriteConfig.WRITE_SCHEMA_OVERRIDE.key());
    if (schema == null) {
      return Optional.empty();
    }
    return new Schema.Parser()
        .parse(schema).getFields().stream()
            .filter(field -> isInMilliseconds(field.schema()))
            .map(field -> lower(field.name()))
            .filter(
                definition.columns().stream().map(WriteOptions::lower).collect(toSet())::contains)
            .findFirst();
  }

  private static boolean isInMilliseconds(Schema schema) {
    return schema.isUnion()
        ? schema.getTypes().stream().anyMatch(WriteOptions::isInMilliseconds)
        : schema.getLogicalType() != null
            && schema.getLogicalType().getName().endsWith("timestamp-millis");
  }

  static IllegalArgumentException refused(
      String table, ZColumnDefinition definition, String key, String value) {
    return new IllegalArgumentException(
        String.format(
            "Cannot write to '%s': '%s' was '%s', which may put a row together of two records, of"
                + " which its z-column '%s' would not be true; merge whole records",
            table, key, value, definition.name()));
  }
}
