package io.hudizorder.spark.scala2_12;

import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.types.DataType;

/** Calls of Spark 3.5. */
public final class SparkCallsOf3_5 extends SeqCalls {

  @Override
  public Column column(Expression expression) {
    return new Column(expression);
  }

  @Override
  public Expression expression(Column column) {
    return column.expr();
  }

  @Override
  public Expression staticInvoke(
      Class<?> owner,
      String method,
      DataType type,
      List<Expression> arguments,
      boolean returnsNullable) {
    return new StaticInvoke(
        owner, type, method, seq(arguments), none(), true, returnsNullable, true);
  }
}
