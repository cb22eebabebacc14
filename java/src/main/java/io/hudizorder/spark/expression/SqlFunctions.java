package io.hudizorder.spark.expression;

import static scala.collection.JavaConverters.seqAsJavaList;

import io.hudizorder.key.ZValue;
import io.hudizorder.spark.SparkCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import scala.Tuple3;

/** The SQL functions by name, with what {@code DESCRIBE FUNCTION} says of them. */
public final class SqlFunctions {

  private SqlFunctions() {}

  /** Makes the functions known in every session that the extensions apply to. */
  public static void inject(SparkSessionExtensions extensions) {
    for (KeyFunction.Kind kind : KeyFunction.Kind.values()) {
      String usage =
          kind == KeyFunction.Kind.ZORDER
              ? "_FUNC_(a, b, ...) - The z-value of 1 to 128 values, the first leading, as binary."
              : "_FUNC_(a, b, ...) - The Hilbert key of 1 to 128 values, as binary.";
      inject(
          extensions,
          kind.function(),
          KeyFunction.class,
          usage,
          values -> {
            if (values.isEmpty() || values.size() > ZValue.MAX_COLUMNS) {
              throw wrongNumber(kind.function(), "1 to " + ZValue.MAX_COLUMNS, values.size());
            }
            return new KeyFunction(kind, values);
          });
    }
    for (ZValueFunction.Operation operation : ZValueFunction.Operation.values()) {
      String usage =
          operation == ZValueFunction.Operation.WORDS
              ? "_FUNC_(z, k) - The words of a z-value of k columns, as an array of their bits."
              : "_FUNC_(z1, z2) - -1, 0 or 1, as z1 is below, equal to or above z2 by unsigned bytes.";
      inject(
          extensions,
          operation.function(),
          ZValueFunction.class,
          usage,
          values -> {
            if (values.size() != 2) {
              throw wrongNumber(operation.function(), 2, values.size());
            }
            return new ZValueFunction(operation, values);
          });
    }
  }

  private static void inject(
      SparkSessionExtensions extensions,
      String name,
      Class<?> owner,
      String usage,
      Function<List<Expression>, Expression> builder) {
    ExpressionInfo info =
        new ExpressionInfo(owner.getCanonicalName(), null, name, usage, "\n    Arguments:\n");
    extensions.injectFunction(
        new Tuple3<>(
            new FunctionIdentifier(name),
            info,
            values -> builder.apply(new ArrayList<>(seqAsJavaList(values)))));
  }

  private static RuntimeException wrongNumber(String function, Object wanted, int values) {
    return SqlFunctions.<RuntimeException>unchecked(
        SparkCalls.here().wrongNumberOfArguments(function, wanted, values));
  }

  /** Throws an error of Spark's, which is a checked exception to Java, not to Scala. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> RuntimeException unchecked(Throwable error) throws E {
    throw (E) error;
  }
}
