package io.hudizorder.zcolumn;

import java.util.Optional;
import org.apache.hudi.DataSourceWriteOptions;
import org.apache.hudi.HoodieEmptyRelation;
import org.apache.hudi.HoodieSchemaConversionUtils;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.HoodieCatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.hudi.command.InsertIntoHoodieTableCommand;
import org.apache.spark.sql.hudi.command.InsertIntoHoodieTableCommand$;
import org.apache.spark.sql.hudi.command.UpdateHoodieTableCommand;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.types.StructType;
import scala.Tuple2;
import scala.Tuple4;
import scala.collection.immutable.Map;
import scala.collection.immutable.Map$;

/**
 * An INSERT or UPDATE of a table with a z-column: what Hudi's command does with its rows, by a
 * writer that has a say in the commit.
 */
final class SqlWrite implements CreatableRelationProvider {

  private final SparkSession spark;
  private final HoodieCatalogTable table;
  private final Map<String, String> options;
  private final SaveMode mode;
  private final ZColumnWrite write;

  private SqlWrite(
      SparkSession spark,
      HoodieCatalogTable table,
      Map<String, String> options,
      SaveMode mode,
      ZColumnDefinition definition) {
    this.spark = spark;
    this.table = table;
    this.options = InlineCompaction.asOfBatches(options, Optional.of(table.metaClient()));
    this.mode = mode;
    this.write = new ZColumnWrite(spark, table.tableLocation(), definition);
  }

  /** The insert, if the table has a z-column. */
  static Optional<SqlWrite> insert(SparkSession spark, InsertIntoHoodieTableCommand insert) {
    HoodieCatalogTable table =
        HoodieCatalogTable.apply(spark, insert.logicalRelation().catalogTable().get());
    InsertIntoHoodieTableCommand$ hudi = InsertIntoHoodieTableCommand$.MODULE$;
    Map<String, String> none = Map$.MODULE$.<String, String>empty();
    if (insert.overwrite()) {
      Tuple4<SaveMode, Object, Object, scala.Option<String>> overwrite =
          hudi.deduceOverwriteConfig(spark, table, insert.partitionSpec(), none);
      return of(
          spark,
          table,
          hudi.buildHoodieInsertConfig(
              table,
              spark,
              (Boolean) overwrite._3(),
              (Boolean) overwrite._2(),
              insert.partitionSpec(),
              none,
              overwrite._4()),
          overwrite._1(),
          insert.query().schema());
    }
    return of(
        spark,
        table,
        hudi.buildHoodieInsertConfig(
            table, spark, false, false, insert.partitionSpec(), none, scala.Option.empty()),
        SaveMode.Append,
        insert.query().schema());
  }

  /** The update, if the table has a z-column. */
  static Optional<SqlWrite> update(SparkSession spark, UpdateHoodieTableCommand update) {
    HoodieCatalogTable table =
        HoodieCatalogTable.apply(spark, TableLookup.of(update.ut().table()).get());
    Map<String, String> options = InsertIntoHoodieTableCommand$.MODULE$.buildHoodieConfig(table);
    String optimized =
        spark
            .sessionState()
            .conf()
            .getConfString(
                DataSourceWriteOptions.SPARK_SQL_OPTIMIZED_WRITES().key(),
                DataSourceWriteOptions.SPARK_SQL_OPTIMIZED_WRITES().defaultValue());
    if (optimized.equals("true")) {
      options = options.updated(DataSourceWriteOptions.SPARK_SQL_WRITES_PREPPED_KEY(), "true");
    }
    return of(spark, table, options, SaveMode.Append, update.query().schema());
  }

  private static Optional<SqlWrite> of(
      SparkSession spark,
      HoodieCatalogTable table,
      Map<String, String> options,
      SaveMode mode,
      StructType schema) {
    WriteOptions read = new WriteOptions(options);
    Optional<ZColumnDefinition> definition =
        WriteRule.definition(
            table.tableLocation(), read, schema, Optional.of(table.metaClient()), false);
    definition.ifPresent(d -> read.check(table.tableLocation(), d));
    return definition.map(d -> new SqlWrite(spark, table, options, mode, d));
  }

  LogicalPlan rows(LogicalPlan query) {
    return write.rows(query);
  }

  @Override
  public BaseRelation createRelation(
      SQLContext context, SaveMode unused, Map<String, String> none, Dataset<Row> rows) {
    Dataset<Row> aligned =
        spark.internalCreateDataFrame(
            rows.queryExecution().toRdd(),
            HoodieSchemaConversionUtils.alignSchemaWithCatalog(
                rows.schema(),
                table.tableSchemaWithoutMetaFields(),
                spark.sessionState().conf().caseSensitiveAnalysis(),
                true),
            false);
    Tuple2<String, String> name =
        HoodieSchemaConversionUtils.getRecordNameAndNamespace(table.tableName());
    HoodieSchema schema =
        HoodieSchemaConversionUtils.convertStructTypeToHoodieSchema(
            table.tableSchema(), name._1(), name._2());
    new ZColumnSource(write).save(context, mode, options, aligned, scala.Option.apply(schema));
    spark.catalog().refreshTable(table.table().qualifiedName());
    return new HoodieEmptyRelation(context, rows.schema());
  }
}
