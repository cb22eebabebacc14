package io.hudizorder.zcolumn;

import io.hudizorder.hudi.HudiRelease;
import io.hudizorder.spark.zcolumn.ZColumn;
import java.util.List;
import java.util.Optional;
import org.apache.hudi.HoodieFileIndex;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.internal.SQLConf;
import scala.runtime.AbstractPartialFunction;

/**
 * Asks the z-column beside the columns that it is made of, which a query is about: the predicate
 * stays, and ranges of z-values are added. The result is the same, and fewer files are read.
 */
final class ReadRule extends Rule<LogicalPlan> {

  private final SparkSession spark;

  ReadRule(SparkSession spark) {
    this.spark = spark;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    SQLConf conf = spark.sessionState().conf();
    if (!Boolean.parseBoolean(conf.getConfString(QuerySettings.ENABLED, "true"))) {
      return plan;
    }
    int most = QuerySettings.ranges(conf);
    return (LogicalPlan)
        plan.transformDown(
            new AbstractPartialFunction<LogicalPlan, LogicalPlan>() {
              @Override
              public boolean isDefinedAt(LogicalPlan node) {
                return filtered(node).isPresent();
              }

              @Override
              public LogicalPlan apply(LogicalPlan node) {
                return asked((Filter) node, most);
              }
            });
  }

  private LogicalPlan asked(Filter filter, int most) {
    LogicalRelation relation = (LogicalRelation) filter.child();
    Optional<AskedRanges> ranges =
        ranges(relation, filtered(filter).get(), filter.condition(), most);
    if (ranges.isEmpty() || ZColumn.holds(filter.condition(), ranges.get().predicate())) {
      return filter;
    }
    return new Filter(
        new And(filter.condition(), ranges.get().predicate()), ranges.get().holding(relation));
  }

  /** The file index of a table that a filter is about and that could have a z-column. */
  private static Optional<HoodieFileIndex> filtered(LogicalPlan node) {
    return node instanceof Filter && ((Filter) node).child() instanceof LogicalRelation
        ? location((LogicalRelation) ((Filter) node).child()).flatMap(ReadRule::index)
        : Optional.empty();
  }

  /** Where the files of a relation are looked up. */
  static Optional<FileIndex> location(LogicalRelation relation) {
    return relation.relation() instanceof HadoopFsRelation
        ? Optional.of(((HadoopFsRelation) relation.relation()).location())
        : Optional.empty();
  }

  /** Hudi's index of a snapshot; those of increments and of changes are classes of their own. */
  static Optional<HoodieFileIndex> index(FileIndex location) {
    return location.getClass() == HoodieFileIndex.class
            && ((HoodieFileIndex) location).shouldEmbedFileSlices()
        ? Optional.of((HoodieFileIndex) location)
        : Optional.empty();
  }

  /** What can be asked of the z-column, if the table has one whose values are known to be true. */
  Optional<AskedRanges> ranges(
      LogicalRelation relation, HoodieFileIndex index, Expression predicate, int most) {
    HoodieTableMetaClient table = index.metaClient();
    Optional<ZColumnDefinition> definition =
        ZColumnDefinition.of(table.getTableConfig())
            .filter(d -> !d.isMadeOfAny(TablePartitions.of(table.getTableConfig())));
    Optional<List<Attribute>> attributes =
        definition.flatMap(
            d -> d.attributes(relation.output(), spark.sessionState().conf().resolver()));
    if (attributes.isEmpty()
        || !HudiRelease.asksZColumns()
        || !RecordMerging.keepsRecordsWhole(table.getTableConfig())) {
      return Optional.empty();
    }
    Attribute zColumn = attributes.get().get(0);
    List<Attribute> columns = attributes.get().subList(1, attributes.get().size());
    if (columns.stream().noneMatch(column -> predicate.references().contains(column))) {
      return Optional.empty();
    }
    // Once, for another query may refresh the index at any time.
    HoodieTimeline snapshot = table.getActiveTimeline();
    return new TimelineBounds(table, snapshot, definition.get())
        .boundsIfReadable()
        .flatMap(bounds -> ZColumn.predicate(predicate, zColumn, columns, bounds, most))
        .map(found -> new AskedRanges(index, snapshot, found));
  }
}
