package io.hudizorder.spark.expression;

import io.hudizorder.spark.SparkCalls;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;

/**
 * The hash that rows are sampled by, and the word made of it that tells rows of equal values apart.
 */
public final class RowHash {

  private RowHash() {}

  /**
   * A seeded hash of the columns that tell rows apart; the same for the same row wherever it lies.
   * Of no columns it is the same for all rows.
   */
  public static Column of(List<Column> identity, long seed) {
    SparkCalls calls = SparkCalls.here();
    if (identity.isEmpty()) {
      return functions.lit(seed);
    }
    List<Expression> expressions =
        identity.stream().map(calls::expression).collect(Collectors.toList());
    return calls.column(calls.xxHash64(expressions, seed));
  }

  /** The tie-breaking word of a row's hash, as an expression. */
  public static Column tie(Column hash) {
    SparkCalls calls = SparkCalls.here();
    return calls.column(
        WordColumns.invokeStatic(RowHash.class, "tie", DataTypes.LongType, calls.expression(hash)));
  }

  /**
   * The tie-breaking word of a row's hash; its leading bits are not those a sample selects by.
   * Called from generated code.
   */
  public static long tie(long hash) {
    return Long.reverse(hash);
  }
}
