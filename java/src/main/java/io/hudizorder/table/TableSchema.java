package io.hudizorder.table;

import io.hudizorder.hudi.Folders;
import io.hudizorder.hudi.HudiCalls;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.TableSchemaResolver;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.internal.schema.utils.SerDeHelper;
import org.apache.spark.sql.types.StructField;

/**
 * What it takes to read every column of a table. A client's configuration has the schema of what it
 * writes, which may lack columns, and rarely how columns were renamed: what Hudi does not find when
 * it clusters, it writes as null.
 */
public final class TableSchema {

  private TableSchema() {}

  /**
   * A client's configuration with the schema of the table, and with its evolution where schema on
   * read has recorded one.
   *
   * @throws HoodieClusteringException when the table's schema cannot be read
   */
  public static HoodieWriteConfig config(HoodieTableMetaClient table, HoodieWriteConfig clients) {
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder().withProperties(clients.getProps()).build();
    TableSchemaResolver commits = new TableSchemaResolver(table);
    config.setSchema(schema(table, commits).toString());
    if (config.contains(HoodieWriteConfig.WRITE_SCHEMA_OVERRIDE)) {
      config.setValue(HoodieWriteConfig.WRITE_SCHEMA_OVERRIDE, config.getSchema());
    }
    config.setValue(
        HoodieWriteConfig.ALLOW_OPERATION_METADATA_FIELD,
        String.valueOf(hasOperation(table, commits, config)));
    commits
        .getTableInternalSchemaFromCommitMetadata()
        .ifPresent(evolved -> config.setInternalSchemaString(SerDeHelper.toJson(evolved)));
    return config;
  }

  /**
   * The schema of a table with the meta columns that its files have or this configuration gives it.
   *
   * @throws HoodieClusteringException when it cannot be read
   */
  public static Schema rowSchema(HoodieTableMetaClient table, HoodieWriteConfig config) {
    TableSchemaResolver commits = new TableSchemaResolver(table);
    return HudiCalls.here()
        .withMetaColumns(schema(table, commits), hasOperation(table, commits, config));
  }

  /**
   * The same as a configuration tells it that {@link #config} has made: to find it in the table
   * again, the last commit is read with all its files.
   */
  public static Schema rowSchema(HoodieWriteConfig found) {
    Schema schema = new Schema.Parser().parse(found.getSchema());
    return HudiCalls.here().withMetaColumns(schema, found.allowOperationMetadataField());
  }

  /**
   * Whether rows have the column that Flink writes of a changelog, which no commit's schema tells,
   * but a file of the last write. Where rows are merged as they are read, nobody clusters them.
   */
  private static boolean hasOperation(
      HoodieTableMetaClient table, TableSchemaResolver commits, HoodieWriteConfig config) {
    return config.allowOperationMetadataField()
        || table.getTableType() == HoodieTableType.COPY_ON_WRITE && commits.hasOperationField();
  }

  /** A schema of a table without the columns that its files leave out. */
  public static Schema ofFiles(HoodieTableMetaClient table, Schema schema) {
    HoodieTableConfig config = table.getTableConfig();
    return config.shouldDropPartitionColumns()
        ? HudiCalls.here()
            .without(schema, Set.of(config.getPartitionFields().orElse(new String[0])))
        : schema;
  }

  /**
   * The first column that a write has added to a table, or given another type.
   *
   * @param known the table's schema until then
   * @param written what the write's commit tells
   */
  public static Optional<String> changedColumn(Schema known, Schema written) {
    Map<String, String> types =
        columns(known).collect(Collectors.toMap(StructField::name, TableSchema::type));
    return columns(written)
        .filter(column -> !type(column).equals(types.get(column.name())))
        .map(StructField::name)
        .findFirst();
  }

  private static Stream<StructField> columns(Schema schema) {
    return Arrays.stream(HudiCalls.here().sparkSchema(schema).fields())
        .filter(column -> !HoodieRecord.HOODIE_META_COLUMNS_WITH_OPERATION.contains(column.name()));
  }

  private static String type(StructField column) {
    return column.dataType().catalogString();
  }

  private static Schema schema(HoodieTableMetaClient table, TableSchemaResolver commits) {
    try {
      // The resolver appends what files leave out; written, it would be a column of nulls.
      return ofFiles(table, HudiCalls.here().tableSchema(table, commits));
    } catch (Exception e) {
      throw new HoodieClusteringException(
          "Cannot cluster: the schema of table '" + Folders.base(table) + "' cannot be read", e);
    }
  }
}
