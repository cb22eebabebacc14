package io.hudizorder.zcolumn;

import static scala.collection.JavaConverters.seqAsJavaList;

import io.hudizorder.hudi.HudiRelease;
import java.util.Optional;
import org.apache.hudi.HoodieFileIndex;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import scala.runtime.AbstractPartialFunction;

/** A z-column asked by hand; called from Python. */
public final class ZColumns {

  private ZColumns() {}

  /** What a predicate means for the z-column of a table's rows, as SQL. */
  public static Optional<String> predicate(Dataset<Row> rows, String predicate, int most) {
    return asked(rows.where(predicate), most).map(asked -> asked.predicate.sql());
  }

  /**
   * The rows of which a predicate is true; by the z-column, if it is among them, in the files of
   * the snapshot that it was asked of.
   */
  public static Dataset<Row> where(Dataset<Row> rows, String predicate, int most) {
    Dataset<Row> matching = rows.where(predicate);
    Optional<Asked> asked = asked(matching, most);
    LogicalPlan plan = matching.queryExecution().analyzed();
    if (asked.isEmpty() || !asked.get().predicate.references().subsetOf(plan.outputSet())) {
      return matching;
    }
    LogicalPlan held =
        (LogicalPlan)
            plan.transformDown(
                new AbstractPartialFunction<LogicalPlan, LogicalPlan>() {
                  @Override
                  public boolean isDefinedAt(LogicalPlan node) {
                    return node instanceof LogicalRelation
                        && index((LogicalRelation) node)
                            .filter(asked.get().index::equals)
                            .isPresent();
                  }

                  @Override
                  public LogicalPlan apply(LogicalPlan node) {
                    return ReadRule.holding(
                        (LogicalRelation) node, asked.get().index, asked.get().predicate);
                  }
                });
    return Dataset.ofRows(rows.sparkSession(), held).where(new Column(asked.get().predicate));
  }

  private static Optional<Asked> asked(Dataset<Row> matching, int most) {
    if (!HudiRelease.asksZColumns()) {
      return Optional.empty();
    }
    SparkSession spark = matching.sparkSession();
    return find(matching.queryExecution().optimizedPlan(), new ReadRule(spark), most);
  }

  private static Optional<Asked> find(LogicalPlan plan, ReadRule rule, int most) {
    if (plan instanceof Filter && ((Filter) plan).child() instanceof LogicalRelation) {
      LogicalRelation relation = (LogicalRelation) ((Filter) plan).child();
      Optional<HoodieFileIndex> index = index(relation);
      return index.flatMap(
          i ->
              rule.predicate(relation, i, ((Filter) plan).condition(), most)
                  .map(predicate -> new Asked(i, predicate)));
    }
    return seqAsJavaList(plan.children()).stream()
        .map(child -> find(child, rule, most))
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

  /** What can be asked, and of which files. */
  private static final class Asked {

    private final HoodieFileIndex index;
    private final Expression predicate;

    private Asked(HoodieFileIndex index, Expression predicate) {
      this.index = index;
      this.predicate = predicate;
    }
  }
}
