package io.hudizorder.spark;

import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.codegen.Block;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.types.AbstractDataType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import scala.Function1;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.math.Ordering;

/**
 * The calls into Spark that differ between its versions, or between Scala 2.12 and 2.13: what Spark
 * calls a {@code Seq} is another class in each. Every pair of them has a room with its own; all
 * else of this jar compiles once, and links with each.
 */
public interface SparkCalls {

  /** Those of the Spark on the class path; refused as {@link SparkRelease} tells. */
  static SparkCalls here() {
    return SparkRelease.calls();
  }

  // Columns

  Column column(Expression expression);

  Expression expression(Column column);

  // Expressions

  /** A call of a static method. */
  Expression staticInvoke(
      Class<?> owner,
      String method,
      DataType type,
      List<Expression> arguments,
      boolean returnsNullable);

  /** A call of a method of an object, null where an argument is. */
  Expression invoke(Expression target, String method, DataType type, List<Expression> arguments);

  Expression coalesce(List<Expression> values);

  Expression xxHash64(List<Expression> values, long seed);

  List<Expression> children(Expression expression);

  /** What a value is to be one of. */
  List<Expression> alternatives(In in);

  TypeCheckResult checkTypes(List<Expression> arguments, List<AbstractDataType> types);

  /** What Spark says of a function called with a wrong number of arguments. */
  Throwable wrongNumberOfArguments(String function, Object wanted, int found);

  // Code

  /** Java as it stands. */
  Block code(String java);

  /** Statements of the current row, in as many methods as the JVM needs to compile them. */
  String split(CodegenContext context, List<String> statements, String method);

  // Rows

  List<Expression> columns(Project project);

  List<Attribute> input(Project project);

  UnsafeProjection projection(List<Expression> columns, List<Attribute> input);

  /** The order of rows by columns, one after the other, nulls first. */
  Ordering<InternalRow> ordering(List<Expression> columns, List<Attribute> input);

  /** Opens Parquet files of a schema, all columns of all rows. */
  Function1<PartitionedFile, Iterator<InternalRow>> parquetReader(
      SparkSession spark, StructType schema, Map<String, String> options);
}
