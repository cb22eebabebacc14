package io.hudizorder.parquet;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The schema of a table, which the footers of its files are held against. */
final class ExpectedSchema implements Serializable {

  private static final long serialVersionUID = 1L;

  private final StructType columns;

  /** By top-level column; none where they may be of any unit. */
  private final Map<String, List<String>> timestamps;

  private final Set<String> fillable;
  private final Set<String> required;

  ExpectedSchema(
      StructType columns,
      Optional<MessageType> inParquet,
      Set<String> fillable,
      Set<String> required) {
    this.columns = columns;
    this.timestamps = inParquet.map(ExpectedSchema::timestamps).orElse(Map.of());
    this.fillable = new HashSet<>(fillable);
    this.required = new HashSet<>(required);
  }

  /** Top-level columns of which every row has a value. */
  Set<String> required() {
    return required;
  }

  /**
   * Top-level columns whose values may differ in length. Of meta columns the record key alone is
   * the user's.
   */
  Set<String> variable() {
    return Arrays.stream(columns.fields())
        .filter(field -> FileLimit.hasLength(field.dataType()))
        .map(StructField::name)
        .filter(
            name ->
                !HoodieRecord.HOODIE_META_COLUMNS.contains(name)
                    || name.equals(HoodieRecord.RECORD_KEY_METADATA_FIELD))
        .collect(Collectors.toSet());
  }

  /**
   * Whether Spark's own Parquet reader gives exactly the table's rows: the same columns in the same
   * order but for those to fill with nulls, of the same types at every depth, timestamps in the
   * table's unit where Hudi takes them to be of it.
   */
  boolean isReadAlikeBySpark(MessageType file) {
    return hasColumns(file, expectedIn(file))
        && timestamps(file).entrySet().stream().allMatch(this::isExpected)
        && file.getColumns().stream().noneMatch(ExpectedSchema::isSmallDecimalInBytes);
  }

  private StructType expectedIn(MessageType file) {
    return new StructType(
        Arrays.stream(columns.fields())
            .filter(field -> file.containsField(field.name()) || !fillable.contains(field.name()))
            .toArray(StructField[]::new));
  }

  private boolean isExpected(Map.Entry<String, List<String>> found) {
    return timestamps.getOrDefault(found.getKey(), found.getValue()).equals(found.getValue());
  }

  private static boolean hasColumns(MessageType file, StructType expected) {
    ParquetToSparkSchemaConverter converter =
        new ParquetToSparkSchemaConverter(
            /* assumeBinaryIsString= */ false,
            /* assumeInt96IsTimestamp= */ true,
            /* caseSensitive= */ true,
            /* inferTimestampNTZ= */ true,
            /* nanosAsLong= */ false);
    try {
      return DataType.equalsIgnoreNullability(converter.convert(file), expected);
    } catch (Exception unknownToSpark) {
      // Spark refuses a Parquet type it has no counterpart for, by exceptions that Scala does not
      // declare: Hudi's reader knows what to do.
      return false;
    }
  }

  /**
   * The unit and zone of everything that is a timestamp, in order, by top-level column; Spark's
   * types do not tell millis from micros. Paths below may differ: lists have two spellings.
   */
  private static Map<String, List<String>> timestamps(MessageType schema) {
    Map<String, List<String>> found = new HashMap<>();
    for (ColumnDescriptor column : schema.getColumns()) {
      LogicalTypeAnnotation type = column.getPrimitiveType().getLogicalTypeAnnotation();
      found
          .computeIfAbsent(column.getPath()[0], any -> new ArrayList<>())
          .add(type instanceof TimestampLogicalTypeAnnotation ? type.toString() : "");
    }
    return found;
  }

  /** Decimals that fit into a long, as Avro writers keep them: Spark reads no vectors of these. */
  private static boolean isSmallDecimalInBytes(ColumnDescriptor column) {
    PrimitiveType type = column.getPrimitiveType();
    return type.getPrimitiveTypeName() == PrimitiveTypeName.BINARY
        && type.getLogicalTypeAnnotation() instanceof DecimalLogicalTypeAnnotation
        && ((DecimalLogicalTypeAnnotation) type.getLogicalTypeAnnotation()).getPrecision()
            <= Decimal.MAX_LONG_DIGITS();
  }
}
