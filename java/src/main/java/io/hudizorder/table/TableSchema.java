package io.hudizorder.table;

import io.hudizorder.hudi.HudiCalls;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.TableSchemaResolver;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.internal.schema.utils.SerDeHelper;

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
    TableSchemaResolver resolver = new TableSchemaResolver(table);
    config.setSchema(schema(table, resolver).toString());
    if (config.contains(HoodieWriteConfig.WRITE_SCHEMA_OVERRIDE)) {
      config.setValue(HoodieWriteConfig.WRITE_SCHEMA_OVERRIDE, config.getSchema());
    }
    resolver
        .getTableInternalSchemaFromCommitMetadata()
        .ifPresent(evolved -> config.setInternalSchemaString(SerDeHelper.toJson(evolved)));
    return config;
  }

  /**
   * The schema of a table with the meta columns that this configuration gives it.
   *
   * @throws HoodieClusteringException when it cannot be read
   */
  public static Schema rowSchema(HoodieTableMetaClient table, HoodieWriteConfig config) {
    Schema schema = schema(table, new TableSchemaResolver(table));
    return HudiCalls.here().withMetaColumns(schema, config.allowOperationMetadataField());
  }

  private static Schema schema(HoodieTableMetaClient table, TableSchemaResolver resolver) {
    HudiCalls hudi = HudiCalls.here();
    try {
      Schema schema = hudi.tableSchema(resolver);
      HoodieTableConfig config = table.getTableConfig();
      if (!config.shouldDropPartitionColumns()) {
        return schema;
      }
      // The resolver appends what files leave out; written, it would be a column of nulls.
      return hudi.without(schema, Set.of(config.getPartitionFields().orElse(new String[0])));
    } catch (Exception e) {
      throw new HoodieClusteringException(
          "Cannot cluster: the schema of table '"
              + table.getMetaPath().getParent()
              + "' cannot be read",
          e);
    }
  }
}
