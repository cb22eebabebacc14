package io.hudizorder.spark.expression;

import io.hudizorder.spark.SparkCalls;
import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.types.StructType;
import scala.math.Ordering;

/**
 * Columns that a task computes of the rows at hand, in generated code but outside of any query:
 * resolved by the driver, and shipped.
 */
public final class TaskExpressions implements Serializable {

  private static final long serialVersionUID = 1L;

  private final List<Expression> expressions;
  private final List<Attribute> input;

  // Made once for all rows of a task, which has this object for itself.
  private transient UnsafeProjection projection;
  private transient Ordering<InternalRow> ordering;

  private TaskExpressions(List<Expression> expressions, List<Attribute> input) {
    this.expressions = expressions;
    this.input = input;
  }

  /** Columns of the rows of a dataset, which is not read. */
  public static TaskExpressions of(Dataset<Row> rows, List<Column> columns) {
    Project project =
        (Project) rows.select(columns.toArray(new Column[0])).queryExecution().analyzed();
    SparkCalls calls = SparkCalls.here();
    return new TaskExpressions(calls.columns(project), calls.input(project));
  }

  /** Columns of rows of a schema. */
  public static TaskExpressions of(SparkSession spark, StructType schema, List<Column> columns) {
    return of(spark.createDataFrame(List.of(), schema), columns);
  }

  /** Rows of the columns. */
  public UnsafeProjection projection() {
    if (projection == null) {
      projection = SparkCalls.here().projection(expressions, input);
    }
    return projection;
  }

  /** Rows of the first column alone. */
  public UnsafeProjection first() {
    return SparkCalls.here().projection(expressions.subList(0, 1), input);
  }

  /** The rows as they are, in Spark's binary format. */
  public UnsafeProjection input() {
    return SparkCalls.here().projection(List.copyOf(input), input);
  }

  /** The order of rows by the columns, one after the other, nulls first. */
  public Ordering<InternalRow> ordering() {
    if (ordering == null) {
      ordering = SparkCalls.here().ordering(expressions, input);
    }
    return ordering;
  }
}
