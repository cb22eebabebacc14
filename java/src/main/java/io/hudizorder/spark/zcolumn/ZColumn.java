package io.hudizorder.spark.zcolumn;

import io.hudizorder.key.ZCover;
import io.hudizorder.key.ZRange;
import io.hudizorder.spark.SparkCalls;
import io.hudizorder.spark.expression.KeyFunction;
import io.hudizorder.spark.expression.WordColumns;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GreaterThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.Hex;
import org.apache.spark.sql.catalyst.expressions.LessThan;
import org.apache.spark.sql.catalyst.expressions.LessThanOrEqual;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A stored z-column: {@code hex(zorder_value(a, b, ...))}, and the predicate on it that follows
 * from one on its columns.
 *
 * <p>It is a text, in whose order hexadecimal digits keep that of the bytes: of binary columns
 * Hudi's statistics skip no file.
 */
public final class ZColumn {

  /**
   * 16 digits each; the statistics of one with more than 2048 digits would be lost (hudi#18755).
   */
  public static final int MAX_COLUMNS = 64;

  private ZColumn() {}

  /** The column's value, the bounds of which are recorded. */
  public static Expression value(List<Expression> values, BoundsAccumulator bounds) {
    return new Hex(
        WordColumns.invoke(
            BoundsAccumulator.class,
            bounds,
            "pass",
            DataTypes.BinaryType,
            new KeyFunction(KeyFunction.Kind.ZORDER, values)));
  }

  /**
   * What can be asked of the z-column beside a predicate; empty when that tells nothing of it, or
   * that some values are not null.
   *
   * @param columns those of which the z-value is made, in its order
   * @param bounds of all rows
   * @param most ranges at most
   */
  public static Optional<Expression> predicate(
      Expression predicate,
      Attribute zColumn,
      List<? extends Attribute> columns,
      WordBounds bounds,
      int most) {
    WordRegion region = new WordPredicate(columns).region(predicate).and(bounds.region());
    // Of nulls alone, as Spark leaves them out of every join, a query would read the column in
    // vain.
    if (region.contains(bounds.ofValues())) {
      return Optional.empty();
    }
    if (region.isEmpty()) {
      return Optional.of(new LessThan(zColumn, literal(""))); // no text is less
    }
    return ZCover.atMost(region.zBoxes(most), most).stream()
        .map(range -> within(zColumn, range))
        .reduce(Or::new);
  }

  private static Expression within(Attribute zColumn, ZRange range) {
    Literal first = literal(digits(range.first()));
    Literal last = literal(digits(range.last()));
    return first.equals(last)
        ? new EqualTo(zColumn, first)
        : new And(new GreaterThanOrEqual(zColumn, first), new LessThanOrEqual(zColumn, last));
  }

  private static String digits(byte[] zValue) {
    StringBuilder digits = new StringBuilder(2 * zValue.length);
    for (byte part : zValue) {
      digits.append(String.format(Locale.ROOT, "%02X", part & 0xff));
    }
    return digits.toString();
  }

  private static Literal literal(String text) {
    return new Literal(UTF8String.fromString(text), DataTypes.StringType);
  }

  /** The conjuncts of a predicate. */
  public static boolean holds(Expression predicate, Expression part) {
    return predicate.semanticEquals(part)
        || predicate instanceof And
            && SparkCalls.here().children(predicate).stream().anyMatch(child -> holds(child, part));
  }
}
