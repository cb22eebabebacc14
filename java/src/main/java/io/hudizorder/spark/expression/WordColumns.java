package io.hudizorder.spark.expression;

import io.hudizorder.key.OrderedBytes;
import io.hudizorder.key.Words;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.SparkCalls;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.UnscaledValue;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.ObjectType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A sort column's value as a 64-bit word, as expressions that Spark compiles into its generated
 * code; no row object is built.
 */
public final class WordColumns {

  private WordColumns() {}

  /** The word of the value's own leading bits; a long that is never null (null is word 0). */
  public static Column direct(SortColumn column) {
    SparkCalls calls = SparkCalls.here();
    Expression value = calls.expression(column.column());
    return calls.column(orNullWord(directWord(value, column.type())));
  }

  /**
   * What ranks are learnt from and looked up with: the direct word where 64 bits tell all values
   * apart, else bytes in the value's order, null for a null.
   */
  public static Column comparable(SortColumn column) {
    return column.wide() ? SparkCalls.here().column(bytes(column)) : direct(column);
  }

  /** The same, of bytes no more than the first. */
  public static Column comparable(SortColumn column, int mostBytes) {
    Column whole = comparable(column);
    return column.wide() ? functions.substring(whole, 1, mostBytes) : whole;
  }

  /** The word of the value's own leading bits; null where the value is. */
  public static Expression directWord(Expression value, DataType type) {
    if (type instanceof BooleanType) {
      return word("ofBoolean", value);
    } else if (type instanceof ByteType) {
      return word("ofByte", value);
    } else if (type instanceof ShortType) {
      return word("ofShort", value);
    } else if (type instanceof IntegerType) {
      return word("ofInt", value);
    } else if (type instanceof DateType) {
      return word("ofDate", value);
    } else if (type instanceof FloatType) {
      return word("ofFloat", value);
    } else if (type instanceof DoubleType) {
      return word("ofDouble", value);
    } else if (type instanceof DecimalType) {
      int precision = ((DecimalType) type).precision();
      return precision > 18
          ? word(WordColumns.Decimals.class, "word", value, literal(precision))
          : word("ofDecimal", new UnscaledValue(value), literal(precision));
    } else if (type instanceof StringType) {
      return word(WordColumns.Strings.class, "word", value);
    } else if (type instanceof BinaryType) {
      return word("ofBytes", value);
    }
    // Long, timestamp and timestamp without time zone: all are longs inside Spark.
    return word("ofLong", value);
  }

  private static Expression bytes(SortColumn column) {
    SparkCalls calls = SparkCalls.here();
    return column.type() instanceof DecimalType
        ? invokeStatic(
            WordColumns.Decimals.class,
            "bytes",
            DataTypes.BinaryType,
            calls.expression(column.column()))
        : calls.expression(column.column().cast(DataTypes.BinaryType));
  }

  private static Expression word(String method, Expression... arguments) {
    return word(Words.class, method, arguments);
  }

  /** A word of values that are not null, which generated code need not box to find it so. */
  private static Expression word(Class<?> owner, String method, Expression... arguments) {
    return SparkCalls.here()
        .staticInvoke(owner, method, DataTypes.LongType, List.of(arguments), false);
  }

  /** A call of a static method; null where an argument is. */
  static Expression invokeStatic(
      Class<?> owner, String method, DataType type, Expression... arguments) {
    return SparkCalls.here().staticInvoke(owner, method, type, List.of(arguments), true);
  }

  /** The same of a method of an object, which travels with the generated code. */
  public static <T> Expression invoke(
      Class<T> owner, T object, String method, DataType type, Expression... arguments) {
    Expression target = Literal$.MODULE$.fromObject(object, new ObjectType(owner));
    return SparkCalls.here().invoke(target, method, type, List.of(arguments));
  }

  /** A word that is never null: {@link Words#NULL} where it is. */
  public static Expression orNullWord(Expression word) {
    return SparkCalls.here()
        .coalesce(List.of(word, Literal.create(Words.NULL, DataTypes.LongType)));
  }

  private static Expression literal(int value) {
    return Literal.create(value, DataTypes.IntegerType);
  }

  /** Strings, whose bytes need not be copied; called from generated code. */
  public static final class Strings {

    private Strings() {}

    public static long word(UTF8String value) {
      return Words.ofLeadingBytes(value.getPrefix());
    }
  }

  /** Decimals beyond 18 digits, whose unscaled value is no long; called from generated code. */
  public static final class Decimals {

    private Decimals() {}

    public static long word(Decimal value, int precision) {
      return Words.ofDecimal(value.toJavaBigDecimal().unscaledValue(), precision);
    }

    public static byte[] bytes(Decimal value) {
      return OrderedBytes.ofDecimal(value.toJavaBigDecimal().unscaledValue());
    }
  }
}
