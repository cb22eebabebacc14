package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import scala.collection.JavaConverters;
import scala.runtime.AbstractPartialFunction;

/** Rows that Spark loses or doubles between reader and writer are counted, and not committed. */
@Timeout(300)
class CountedRowsTest extends HudiTables {

  /** What Spark makes of the files that a query reads. */
  enum Fault {
    LOSES {
      @Override
      LogicalPlan of(LogicalPlan files) {
        return new LocalLimit(Literal.create(50, DataTypes.IntegerType), files);
      }
    },
    DOUBLES {
      @Override
      LogicalPlan of(LogicalPlan files) {
        return new Union(JavaConverters.asScalaBuffer(List.of(files, files)), false, false);
      }
    };

    abstract LogicalPlan of(LogicalPlan files);
  }

  @AfterEach
  void mendSpark() {
    rules(List.of());
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void whatWasNotReadOnceIsNotCommitted(Fault fault) {
    // In several files: a group of one is read outside of any query.
    HudiTable table =
        table(600, 1).with("hoodie.clustering.plan.strategy.target.file.max.bytes", "5000");
    String instant = table.schedule("a");
    rules(List.of(new Faulty(fault)));

    assertThatThrownBy(() -> table.execute(instant, Map.of()))
        .hasMessageContaining("Cannot commit clustering " + instant)
        .hasMessageContaining("600 rows were read and")
        .hasMessageContaining(fault == Fault.DOUBLES ? "1,200 were written" : "were written");

    rules(List.of());
    assertThat(table.timeline()).noneMatch(name -> name.startsWith(instant + "_"));
    table.execute(instant, Map.of());
    assertThat(table.filesOf(instant)).hasSizeGreaterThan(1);
    assertThat(table.read().count()).isEqualTo(600);
  }

  private static void rules(List<Rule<LogicalPlan>> rules) {
    spark.experimental().extraOptimizations_$eq(JavaConverters.asScalaBuffer(rules).toList());
  }

  private static final class Faulty extends Rule<LogicalPlan> {
    private static final TreeNodeTag<Boolean> DONE = new TreeNodeTag<>("done");

    private final Fault fault;

    Faulty(Fault fault) {
      this.fault = fault;
    }

    @Override
    public LogicalPlan apply(LogicalPlan query) {
      return query.transformDown(
          new AbstractPartialFunction<>() {
            @Override
            public boolean isDefinedAt(LogicalPlan plan) {
              return plan instanceof LogicalRelation && plan.getTagValue(DONE).isEmpty();
            }

            @Override
            public LogicalPlan apply(LogicalPlan plan) {
              plan.setTagValue(DONE, true);
              return fault.of(plan);
            }
          });
    }
  }
}
