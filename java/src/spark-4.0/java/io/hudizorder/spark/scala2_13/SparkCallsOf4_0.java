package io.hudizorder.spark.scala2_13;

import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.types.DataType;
import scala.Option;

/** Calls of Spark 4.0 and 4.1, whose columns are no longer expressions in disguise. */
public final class SparkCallsOf4_0 extends SeqCalls {

  @Override
  public Column column(Expression expression) {
    return ExpressionUtils.column(expression);
  }

  @Override
  public Expression expression(Column column) {
    return ExpressionUtils.expression(column);
  }

  @Override
  public Expression staticInvoke(
      Class<?> owner,
      String method,
      DataType type,
      List<Expression> arguments,
      boolean returnsNullable) {
    return new StaticInvoke(
        owner, type, method, seq(arguments), none(), true, returnsNullable, true, Option.empty());
  }
}
