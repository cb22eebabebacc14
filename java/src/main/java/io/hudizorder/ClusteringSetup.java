package io.hudizorder;

import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_SORT_COLUMNS;

import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.SparkRelease;
import io.hudizorder.spark.fit.RowClustering;
import io.hudizorder.table.MetadataIndexes;
import io.hudizorder.table.SuitableTable;
import io.hudizorder.table.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.hudi.HoodieSchemaConversionUtils;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.index.HoodieIndex;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The options of a clustering held against the table they are for. Both strategies make one before
 * they do anything, so that whatever cannot be done is refused before anything is written.
 */
public final class ClusteringSetup {

  private final ZOrderOptions options;
  private final HoodieSchema schema;
  private final StructType sparkSchema;
  private final List<SortColumn> columns;
  private final List<String> identity;
  private final boolean metaFields;

  private ClusteringSetup(
      ZOrderOptions options,
      HoodieSchema schema,
      StructType sparkSchema,
      List<SortColumn> columns,
      List<String> identity,
      boolean metaFields) {
    this.options = options;
    this.schema = schema;
    this.sparkSchema = sparkSchema;
    this.columns = columns;
    this.identity = identity;
    this.metaFields = metaFields;
  }

  /**
   * Validates.
   *
   * @param planParameters what a plan stored; empty while the plan is being made
   * @throws IllegalArgumentException with what is wrong, where, and the remedy
   */
  static ClusteringSetup of(
      HoodieTableMetaClient metaClient,
      HoodieWriteConfig config,
      Map<String, String> planParameters) {
    SparkRelease.requireSupported();
    ZOrderOptions options = ZOrderOptions.of(config.getProps(), planParameters);
    SuitableTable.require(metaClient);
    if (config.getIndexType() == HoodieIndex.IndexType.BUCKET) {
      throw SuitableTable.ofBuckets("'hoodie.index.type' was 'BUCKET'");
    }
    MetadataIndexes.requireKept(metaClient, config);
    FileWriters.check(config, options);
    HoodieSchema schema = TableSchema.rowSchema(metaClient, config);
    StructType sparkSchema = HoodieSchemaConversionUtils.convertHoodieSchemaToStructType(schema);
    HoodieTableConfig table = metaClient.getTableConfig();
    List<SortColumn> columns =
        SortColumn.resolve(sparkSchema, options.layout().columns(), constants(table));
    return new ClusteringSetup(
        options,
        schema,
        sparkSchema,
        columns,
        identity(table, sparkSchema),
        table.populateMetaFields());
  }

  /**
   * Whether what was refused is the plan's fault, so that no process can execute it, and not that
   * of the executing process's own settings.
   */
  static boolean isPlansFault(
      HoodieTableMetaClient metaClient, HoodieWriteConfig config, HoodieClusteringPlan plan) {
    Map<String, String> parameters = plan.getStrategy().getStrategyParams();
    try {
      SuitableTable.require(metaClient);
      SuitableTable.require(plan);
      if (parameters != null && parameters.containsKey(PLAN_STRATEGY_SORT_COLUMNS.key())) {
        ZOrderOptions options = ZOrderOptions.of(new Properties(), parameters);
        HoodieSchema schema = TableSchema.rowSchema(metaClient, config);
        SortColumn.resolve(
            HoodieSchemaConversionUtils.convertHoodieSchemaToStructType(schema),
            options.layout().columns(),
            constants(metaClient.getTableConfig()));
      }
      return false;
    } catch (IllegalArgumentException e) {
      return true;
    }
  }

  ZOrderOptions options() {
    return options;
  }

  /** The table's schema with meta columns. */
  HoodieSchema schema() {
    return schema;
  }

  public StructType sparkSchema() {
    return sparkSchema;
  }

  /** The sort columns. */
  List<SortColumn> columns() {
    return columns;
  }

  /** Some of the sort columns, in the order given. */
  List<SortColumn> columns(List<String> names) {
    return SortColumn.resolve(sparkSchema, names, List.of());
  }

  /** Whether rows say in which partition and file they lie. */
  boolean metaFields() {
    return metaFields;
  }

  /** What tells rows apart. */
  List<String> identity() {
    return identity;
  }

  /**
   * What lays rows out.
   *
   * @param spec of all rows or of a group
   */
  public RowClustering rowLayout(LayoutSpec spec) {
    return new RowClustering(spec, columns, identity);
  }

  /** The top-level columns that a sample reads. */
  public List<String> sampledColumns() {
    Set<String> names = new LinkedHashSet<>(identity);
    columns.forEach(column -> names.add(column.root()));
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
    names.addAll(Arrays.asList(table.getPartitionFields().orElse(new String[0])));
    return names;
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
  static List<String> hashableColumns(StructType schema) {
    List<String> names = new ArrayList<>();
    for (StructField field : schema.fields()) {
      boolean hashable = !field.dataType().existsRecursively(MapType.class::isInstance);
      if (hashable && !field.name().startsWith("_hoodie_")) {
        names.add(field.name());
      }
    }
    return names;
  }
}
