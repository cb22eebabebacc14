package io.hudizorder.zcolumn;

import static scala.collection.JavaConverters.seqAsJavaList;

import io.hudizorder.hudi.HudiRelease;
import java.util.Optional;
import org.apache.hudi.HoodieFileIndex;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import scala.runtime.AbstractPartialFunction;

/** A z-column asked by hand; called from Python. */
public final class ZColumns {

  private ZColumns() {}

  /** What a predicate means for the z-column of a table's rows, as SQL. */
  public static Optional<String> predicate(Dataset<Row> rows, String predicate, int most) {
    return ranges(rows.where(predicate), most).map(ranges -> ranges.predicate().sql());
  }

  /**
   * The rows of which a predicate is true; by the z-column, if it is among them, in the files of
   * the snapshot that it was asked of.
   */
  public static Dataset<Row> where(Dataset<Row> rows, String predicate, int most) {
    Dataset<Row> matching = rows.where(predicate);
    Optional<AskedRanges> ranges = ranges(matching, most);
    if (ranges.isEmpty()
        || !ranges
            .get()
            .predicate()
            .references()
            .subsetOf(rows.queryExecution().analyzed().outputSet())) {
      return matching;
    }
    LogicalPlan held =
        (LogicalPlan)
            matching
                .queryExecution()
                .analyzed()
                .transformDown(
                    new AbstractPartialFunction<LogicalPlan, LogicalPlan>() {
                      @Override
                      public boolean isDefinedAt(LogicalPlan node) {
                        return node instanceof LogicalRelation
                            && index((LogicalRelation) node)
                                .filter(ranges.get()::areOf)
                                .isPresent();
                      }

                      @Override
                      public LogicalPlan apply(LogicalPlan node) {
                        return ranges.get().holding((LogicalRelation) node);
                      }
                    });
    return Dataset.ofRows(rows.sparkSession(), held).where(new Column(ranges.get().predicate()));
  }

  private static Optional<AskedRanges> ranges(Dataset<Row> matching, int most) {
    Optional<LogicalRelation> table = table(matching.queryExecution().analyzed());
    if (table.isEmpty() || !HudiRelease.asksZColumns()) {
      return Optional.empty();
    }
    ReadRule rule = new ReadRule(matching.sparkSession());
    return find(matching.queryExecution().optimizedPlan(), table.get(), rule, most);
  }

  /**
   * The table whose rows these are, as they are or some of them. Of another plan, such as a union
   * or an outer join, some rows may be of no file of the table.
   */
  private static Optional<LogicalRelation> table(LogicalPlan plan) {
    if (plan instanceof LogicalRelation) {
      return Optional.of((LogicalRelation) plan);
    }
    boolean keepsRows =
        plan instanceof Project
            || plan instanceof SubqueryAlias
            || plan instanceof View
            || plan instanceof Filter;
    return keepsRows ? table(seqAsJavaList(plan.children()).get(0)) : Optional.empty();
  }

  /** What the filter of a table asks; that of a subquery is about a relation of its own. */
  private static Optional<AskedRanges> find(
      LogicalPlan plan, LogicalRelation table, ReadRule rule, int most) {
    if (plan instanceof Filter && ((Filter) plan).child() instanceof LogicalRelation) {
      LogicalRelation relation = (LogicalRelation) ((Filter) plan).child();
      return relation.outputSet().equals(table.outputSet())
          ? index(relation)
              .flatMap(i -> rule.ranges(relation, i, ((Filter) plan).condition(), most))
          : Optional.empty();
    }
    return seqAsJavaList(plan.children()).stream()
        .map(child -> find(child, table, rule, most))
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static Optional<HoodieFileIndex> index(LogicalRelation relation) {
    return ReadRule.location(relation)
        .flatMap(
            location ->
                location instanceof SnapshotFileIndex
                    ? Optional.of(((SnapshotFileIndex) location).index())
                    : ReadRule.index(location));
  }
}
