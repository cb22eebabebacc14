package io.hudizorder.table;

import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.layout.query.PartitionValues;
import io.hudizorder.spark.SortColumn;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.avro.Schema;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The columns of a table: those to sort by, those that tell rows apart, and all others. */
public final class TableColumns {

  private static final String HUDIS_KEY_GENERATORS = "org.apache.hudi.keygen.";

  private final Schema schema;
  private final StructType sparkSchema;
  private final List<SortColumn> sortColumns;
  private final List<String> identity;
  private final PartitionFolders folders;
  private final boolean metaFields;

  private TableColumns(
      Schema schema,
      StructType sparkSchema,
      List<SortColumn> sortColumns,
      List<String> identity,
      PartitionFolders folders,
      boolean metaFields) {
    this.schema = schema;
    this.sparkSchema = sparkSchema;
    this.sortColumns = sortColumns;
    this.identity = identity;
    this.folders = folders;
    this.metaFields = metaFields;
  }

  /**
   * Finds the sort columns in a table's schema.
   *
   * @param schema of its rows, as {@link TableSchema} has it
   * @throws IllegalArgumentException for sort columns that cannot be sorted by
   */
  public static TableColumns of(HoodieTableConfig table, Schema schema, List<String> sortColumns) {
    StructType sparkSchema = HudiCalls.here().sparkSchema(schema);
    return new TableColumns(
        schema,
        sparkSchema,
        SortColumn.resolve(sparkSchema, sortColumns, constants(table)),
        identity(table, sparkSchema),
        PartitionFolders.of(table, sparkSchema),
        table.populateMetaFields());
  }

  /** The table's schema with meta columns. */
  public Schema schema() {
    return schema;
  }

  /** The same as Spark's. */
  public StructType sparkSchema() {
    return sparkSchema;
  }

  public List<SortColumn> sortColumns() {
    return sortColumns;
  }

  /** Some of the sort columns, in the order given. */
  public List<SortColumn> sortColumns(List<String> names) {
    return SortColumn.resolve(sparkSchema, names, List.of());
  }

  /** What all rows of a partition have in common, by its folder within the table. */
  public PartitionValues partition(String path) {
    return folders.values(path);
  }

  /** Whether rows say in which partition and file they lie. */
  public boolean metaFields() {
    return metaFields;
  }

  /** What tells rows apart. */
  public List<String> identity() {
    return identity;
  }

  /** The top-level columns that a sample reads. */
  public List<String> sampledColumns() {
    Set<String> names = new LinkedHashSet<>(identity);
    sortColumns.forEach(column -> names.add(column.root()));
    return new ArrayList<>(names);
  }

  /**
   * Columns that need not travel through the shuffle: the partition path is the same in all rows of
   * a group, and the file name is the writer's to fill in.
   */
  public Map<String, String> constants(String partitionPath) {
    return metaFields
        ? Map.of(
            HoodieRecord.PARTITION_PATH_METADATA_FIELD,
            partitionPath,
            HoodieRecord.FILENAME_METADATA_FIELD,
            "")
        : Map.of();
  }

  private static List<String> constants(HoodieTableConfig table) {
    List<String> names = new ArrayList<>();
    names.add(HoodieRecord.PARTITION_PATH_METADATA_FIELD);
    names.add(HoodieRecord.FILENAME_METADATA_FIELD);
    names.addAll(
        constantFields(
            table.getKeyGeneratorClassName(),
            table.getStringOrDefault(HoodieTableConfig.PARTITION_FIELDS, "")));
    return names;
  }

  /**
   * The partition fields that have one value in all rows of a partition. A partition may also be
   * made of a part of a value, as of the day of a time: such a field is as good to sort by as any.
   *
   * @param keyGenerator the class that makes partitions; null where it is Hudi's default
   * @param fields separated by commas, of which each may tell its kind: {@code day:SIMPLE}
   */
  public static List<String> constantFields(String keyGenerator, String fields) {
    String name = keyGenerator == null ? HUDIS_KEY_GENERATORS : keyGenerator;
    if (!name.startsWith(HUDIS_KEY_GENERATORS) || name.contains("Timestamp")) {
      return List.of();
    }
    List<String> constant = new ArrayList<>();
    for (String field : fields.split(",")) {
      String[] nameAndKind = field.trim().split(":", 2);
      boolean whole = nameAndKind.length == 2 && nameAndKind[1].trim().equalsIgnoreCase("SIMPLE");
      // Hudi before 1.0 does not keep the kinds that its CustomKeyGenerator needs.
      if (whole || !name.contains("Custom")) {
        constant.add(nameAndKind[0]);
      }
    }
    return constant;
  }

  /**
   * What tells rows apart: the record key, or where it is not stored, the columns that it is made
   * of; all columns of the row where these are nested, or where Hudi makes keys up.
   */
  private static List<String> identity(HoodieTableConfig table, StructType schema) {
    if (table.populateMetaFields()) {
      return List.of(HoodieRecord.RECORD_KEY_METADATA_FIELD);
    }
    List<String> key = List.of(table.getRecordKeyFields().orElse(new String[0]));
    List<String> columns = hashableColumns(schema);
    return !key.isEmpty() && columns.containsAll(key) ? key : columns;
  }

  /** The columns that Spark hashes, which it does no maps, without meta columns. */
  public static List<String> hashableColumns(StructType schema) {
    return columns(schema, MapType.class::isInstance);
  }

  /**
   * The columns of a row that are the same when the row is made again, as far as a type can tell. A
   * record key often is not: {@code uuid()} gives a row another, where the rows of a join come in
   * another order. Nor is what is added up or collected in that order, a float or an array.
   *
   * @param keyFields fields of the record key, which may be nested
   */
  public static List<String> repeatableColumns(StructType schema, List<String> keyFields) {
    List<String> names =
        columns(
            schema,
            type ->
                type instanceof FloatType
                    || type instanceof DoubleType
                    || type instanceof ArrayType
                    || type instanceof MapType);
    for (String field : keyFields) {
      names.removeIf(field.trim().split("\\.")[0]::equalsIgnoreCase);
    }
    return names;
  }

  /** The columns without meta columns and those that hold a value of some types. */
  private static List<String> columns(StructType schema, Predicate<DataType> without) {
    List<String> names = new ArrayList<>();
    for (StructField field : schema.fields()) {
      boolean wanted = !field.dataType().existsRecursively(without::test);
      if (wanted && !field.name().startsWith("_hoodie_")) {
        names.add(field.name());
      }
    }
    return names;
  }
}
