package io.hudizorder.spark.expression;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Ascending$;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NullsFirst$;
import org.apache.spark.sql.catalyst.expressions.RowOrdering;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.types.StructType;
import scala.collection.JavaConverters;
import scala.collection.Seq;
import scala.math.Ordering;

/**
 * Columns that a task computes of the rows at hand, in generated code but outside of any query:
 * resolved by the driver, and shipped.
 */
public final class TaskExpressions implements Serializable {

  private static final long serialVersionUID = 1L;

  private final List<Expression> expressions;
  private final List<Attribute> input;

  private TaskExpressions(List<Expression> expressions, List<Attribute> input) {
    this.expressions = expressions;
    this.input = input;
  }

  /** Columns of the rows of a dataset, which is not read. */
  public static TaskExpressions of(Dataset<Row> rows, List<Column> columns) {
    Project project =
        (Project) rows.select(columns.toArray(new Column[0])).queryExecution().analyzed();
    List<Expression> expressions = new ArrayList<>();
    JavaConverters.seqAsJavaList(project.projectList())
        .forEach(named -> expressions.add((Expression) named));
    return new TaskExpressions(
        expressions, new ArrayList<>(JavaConverters.seqAsJavaList(project.child().output())));
  }

  /** Columns of rows of a schema. */
  public static TaskExpressions of(SparkSession spark, StructType schema, List<Column> columns) {
    return of(spark.createDataFrame(List.of(), schema), columns);
  }

  /** Rows of the columns. */
  public UnsafeProjection projection() {
    return UnsafeProjection.create(seq(expressions), seq(input));
  }

  /** Rows of the first column alone. */
  public UnsafeProjection first() {
    return UnsafeProjection.create(seq(expressions.subList(0, 1)), seq(input));
  }

  /** The rows as they are, in Spark's binary format. */
  public UnsafeProjection input() {
    return UnsafeProjection.create(seq(input), seq(input));
  }

  /** The order of rows by the columns, one after the other, nulls first. */
  public Ordering<InternalRow> ordering() {
    List<SortOrder> orders =
        expressions.stream()
            .map(
                expression ->
                    new SortOrder(
                        expression, Ascending$.MODULE$, NullsFirst$.MODULE$, seq(List.of())))
            .collect(Collectors.toList());
    return RowOrdering.create(seq(orders), seq(input));
  }

  private static <T> Seq<T> seq(List<? extends T> items) {
    return JavaConverters.asScalaBuffer(new ArrayList<T>(items)).toList();
  }
}
