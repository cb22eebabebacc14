package io.hudizorder.zcolumn;

import static scala.collection.JavaConverters.mapAsJavaMap;

import io.hudizorder.option.OwnOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hudi.DefaultSource;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.HoodieCatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand;
import org.apache.spark.sql.hudi.command.CreateHoodieTableAsSelectCommand;
import org.apache.spark.sql.hudi.command.InsertIntoHoodieTableCommand;
import org.apache.spark.sql.hudi.command.MergeIntoHoodieTableCommand;
import org.apache.spark.sql.hudi.command.UpdateHoodieTableCommand;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Map$;

/**
 * Computes the z-column of rows that are written to a table which has one, whatever they bring
 * along in it, and lets their commit say so. What it cannot see the rows of is refused by name.
 */
final class WriteRule extends Rule<LogicalPlan> {

  private final SparkSession spark;

  WriteRule(SparkSession spark) {
    this.spark = spark;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    if (plan instanceof SaveIntoDataSourceCommand) {
      SaveIntoDataSourceCommand save = (SaveIntoDataSourceCommand) plan;
      return save.dataSource() instanceof DefaultSource ? save(save) : save;
    } else if (plan instanceof InsertIntoHoodieTableCommand) {
      InsertIntoHoodieTableCommand insert = (InsertIntoHoodieTableCommand) plan;
      return SqlWrite.insert(spark, insert).map(write -> save(write, insert.query())).orElse(plan);
    } else if (plan instanceof UpdateHoodieTableCommand) {
      UpdateHoodieTableCommand update = (UpdateHoodieTableCommand) plan;
      return SqlWrite.update(spark, update).map(write -> save(write, update.query())).orElse(plan);
    } else if (plan instanceof MergeIntoHoodieTableCommand) {
      refuse((MergeIntoHoodieTableCommand) plan);
    } else if (plan instanceof CreateHoodieTableAsSelectCommand) {
      refuse((CreateHoodieTableAsSelectCommand) plan);
    }
    return plan;
  }

  private LogicalPlan save(SaveIntoDataSourceCommand save) {
    WriteOptions options = new WriteOptions(save.options());
    String path = options.get("path");
    WriteOperation operation = WriteOperation.of(save.options());
    if (path == null || !operation.bringsRows()) {
      return save;
    }
    Optional<HoodieTableMetaClient> table = TableLookup.at(spark, path);
    boolean kept = save.mode() == SaveMode.Ignore || save.mode() == SaveMode.ErrorIfExists;
    if (table.isPresent() && kept) {
      return save; // Hudi writes nothing, or refuses to
    }
    boolean anew = operation.makesAnew(save.mode());
    Optional<ZColumnDefinition> definition =
        definition(path, options, save.query().schema(), table, anew);
    if (definition.isEmpty()) {
      return save;
    }
    options.check(path, definition.get());
    ZColumnWrite write = new ZColumnWrite(spark, path, definition.get());
    return save.copy(
        write.rows(save.query()),
        new ZColumnSource(write),
        InlineCompaction.asOfBatches(save.options(), anew ? Optional.empty() : table),
        save.mode());
  }

  private static LogicalPlan save(SqlWrite write, LogicalPlan query) {
    return new SaveIntoDataSourceCommand(
        write.rows(query), write, Map$.MODULE$.<String, String>empty(), SaveMode.Append);
  }

  /** The z-column that the table has, or will have of this write. */
  static Optional<ZColumnDefinition> definition(
      String path,
      WriteOptions options,
      StructType schema,
      Optional<HoodieTableMetaClient> table,
      boolean anew) {
    Optional<ZColumnDefinition> stored =
        table.map(HoodieTableMetaClient::getTableConfig).flatMap(ZColumnDefinition::of);
    if (!anew && stored.isPresent() && kept(table.get()).isEmpty()) {
      return Optional.empty(); // whatever the options want, as a catalog's properties may for ever
    }
    List<String> partitions = new ArrayList<>(options.partitions());
    table
        .filter(unused -> !anew)
        .ifPresent(found -> partitions.addAll(TablePartitions.of(found.getTableConfig())));
    Optional<ZColumnDefinition> wanted = options.wanted(schema, partitions, path);
    if (anew || table.isEmpty()) {
      return wanted.or(
          () ->
              stored.filter(
                  definition ->
                      WriteOptions.fits(definition, schema)
                          && !definition.isMadeOfAny(partitions)));
    } else if (stored.isPresent()) {
      if (wanted.isPresent() && !sameNames(wanted.get(), stored.get())) {
        throw new IllegalArgumentException(
            String.format(
                "Cannot write to '%s': '%s' was '%s' of '%s', and the table has '%s' of '%s'; leave"
                    + " it out, or write the table anew",
                path,
                OwnOptions.Z_COLUMN.key(),
                wanted.get().name(),
                wanted.get().columns(),
                stored.get().name(),
                stored.get().columns()));
      }
      HoodieTableConfig config = table.get().getTableConfig();
      if (!RecordMerging.keepsRecordsWhole(config)) {
        throw WriteOptions.refused(
            path,
            stored.get(),
            HoodieTableConfig.RECORD_MERGE_MODE.key(),
            config.getRecordMergeMode() + " " + config.getPayloadClass());
      }
      return stored;
    } else if (wanted.isPresent() && !TimelineBounds.isUnwritten(table.get())) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot write to '%s': '%s' was '%s', and the table has rows without it; write the"
                  + " table anew, with mode 'overwrite'",
              path, OwnOptions.Z_COLUMN.key(), wanted.get().name()));
    }
    return wanted;
  }

  /**
   * The z-column that a table has for as long as its schema has the columns. Once one was renamed,
   * dropped or got another type, writes are those of a table without, and end its use.
   */
  private static Optional<ZColumnDefinition> kept(HoodieTableMetaClient table) {
    return ZColumnDefinition.of(table.getTableConfig())
        .filter(
            definition ->
                IndexedColumns.stored(table)
                    .map(s -> WriteOptions.has(definition, s) && WriteOptions.fits(definition, s))
                    .orElse(true));
  }

  private static boolean sameNames(ZColumnDefinition wanted, ZColumnDefinition stored) {
    return wanted.name().equals(stored.name()) && wanted.columns().equals(stored.columns());
  }

  private void refuse(MergeIntoHoodieTableCommand merge) {
    Optional<CatalogTable> table = TableLookup.of(merge.mergeInto().targetTable());
    Optional<ZColumnDefinition> definition =
        table.flatMap(t -> kept(HoodieCatalogTable.apply(spark, t).metaClient()));
    if (definition.isPresent()) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot merge into '%s': it has the z-column '%s', which could not be kept true of"
                  + " rows that MERGE assigns to; upsert a data frame, or use INSERT and UPDATE",
              table.get().identifier().unquotedString(), definition.get().name()));
    }
  }

  private void refuse(CreateHoodieTableAsSelectCommand create) {
    CatalogTable table = create.table();
    TableLookup.appendedTo(spark, create)
        .flatMap(WriteRule::kept)
        .ifPresent(
            definition -> {
              throw new IllegalArgumentException(
                  String.format(
                      "Cannot write to '%s' as to a new table: it has the z-column '%s'; use"
                          + " insertInto in place of saveAsTable, or INSERT",
                      table.identifier().unquotedString(), definition.name()));
            });
    Map<String, String> properties =
        mapAsJavaMap(table.properties().$plus$plus(table.storage().properties()));
    if (properties.containsKey(OwnOptions.Z_COLUMN.key())) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot create '%s' by SELECT: '%s' was '%s'; write a data frame with that option, or"
                  + " create the table first and insert into it",
              table.identifier().unquotedString(),
              OwnOptions.Z_COLUMN.key(),
              properties.get(OwnOptions.Z_COLUMN.key())));
    }
  }
}
