package io.hudizorder.zcolumn;

import io.hudizorder.hudi.HudiRelease;
import io.hudizorder.option.OwnOptions;
import java.util.Optional;
import org.apache.hudi.DefaultSource;
import org.apache.hudi.common.table.HoodieTableMetaClient;
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

/** In place of {@link WriteRule}, where no z-column can be kept true: refuses to write one. */
final class RefusalRule extends Rule<LogicalPlan> {

  private final SparkSession spark;

  RefusalRule(SparkSession spark) {
    this.spark = spark;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    if (plan instanceof SaveIntoDataSourceCommand) {
      SaveIntoDataSourceCommand save = (SaveIntoDataSourceCommand) plan;
      if (save.dataSource() instanceof DefaultSource) {
        check(save);
      }
    } else if (plan instanceof InsertIntoHoodieTableCommand) {
      check(((InsertIntoHoodieTableCommand) plan).logicalRelation());
    } else if (plan instanceof UpdateHoodieTableCommand) {
      check(((UpdateHoodieTableCommand) plan).ut().table());
    } else if (plan instanceof MergeIntoHoodieTableCommand) {
      check(((MergeIntoHoodieTableCommand) plan).mergeInto().targetTable());
    } else if (plan instanceof CreateHoodieTableAsSelectCommand) {
      CreateHoodieTableAsSelectCommand create = (CreateHoodieTableAsSelectCommand) plan;
      check(create.table().properties());
      check(create.table().storage().properties());
      check(TableLookup.appendedTo(spark, create));
    }
    return plan;
  }

  private void check(SaveIntoDataSourceCommand save) {
    if (!save.options().contains("path") || !WriteOperation.of(save.options()).bringsRows()) {
      return;
    }
    check(save.options());
    check(TableLookup.at(spark, save.options().apply("path")));
  }

  private static void check(Optional<HoodieTableMetaClient> table) {
    if (table.flatMap(found -> ZColumnDefinition.of(found.getTableConfig())).isPresent()) {
      HudiRelease.requireZColumns();
    }
  }

  private static void check(scala.collection.Map<String, String> options) {
    if (options.contains(OwnOptions.Z_COLUMN.key())
        && !options.apply(OwnOptions.Z_COLUMN.key()).isBlank()) {
      HudiRelease.requireZColumns();
    }
  }

  private void check(LogicalPlan target) {
    Optional<CatalogTable> table = TableLookup.of(target);
    if (table
        .flatMap(
            found -> ZColumnDefinition.of(HoodieCatalogTable.apply(spark, found).tableConfig()))
        .isPresent()) {
      HudiRelease.requireZColumns();
    }
  }
}
