package io.hudizorder.spark.expression;

import io.hudizorder.spark.NamedColumn;
import io.hudizorder.spark.SparkCalls;
import java.io.Serializable;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * A fingerprint of a multiset of rows: their number, and the exact sum of a 64-bit hash of every
 * row's columns. The order of rows does not matter, their multiplicity does.
 */
public final class RowFingerprint implements Serializable {

  private static final long serialVersionUID = 1L;

  /** Of no rows. */
  public static final RowFingerprint EMPTY = new RowFingerprint(0, BigDecimal.ZERO);

  private final long rows;
  private final BigDecimal sum;

  private RowFingerprint(long rows, BigDecimal sum) {
    this.rows = rows;
    this.sum = sum;
  }

  /** Reads all rows; {@code ignored} is a column that may differ. */
  public static RowFingerprint of(Dataset<Row> rows, String ignored) {
    Row result =
        rows.select(hash(rows.schema(), ignored).as("hash"))
            .agg(functions.count(functions.lit(1)), exactSum(functions.col("hash")))
            .head();
    // Spark's sum of nothing is null.
    return result.getLong(0) == 0
        ? EMPTY
        : new RowFingerprint(result.getLong(0), result.getDecimal(1));
  }

  /**
   * The same in a task.
   *
   * @param hash of {@link #hash}
   */
  public static RowFingerprint of(Iterator<? extends InternalRow> rows, TaskExpressions hash) {
    UnsafeProjection hashOf = hash.projection();
    long count = 0;
    BigDecimal sum = BigDecimal.ZERO;
    while (rows.hasNext()) {
      sum = sum.add(BigDecimal.valueOf(hashOf.apply(rows.next()).getLong(0)));
      count++;
    }
    return new RowFingerprint(count, sum);
  }

  /** The number of rows. */
  public long rows() {
    return rows;
  }

  /** The hash of a row; {@code ignored} is a column that may differ. */
  public static Column hash(StructType schema, String ignored) {
    return functions.xxhash64(
        Arrays.stream(schema.fields())
            .filter(field -> !field.name().equals(ignored))
            .flatMap(RowFingerprint::hashable)
            .toArray(Column[]::new));
  }

  /**
   * A sum that no number of hashes overflows: one of longs would wrap, or fail under ANSI rules,
   * and Spark sums decimals of fewer digits in 10 more than they have, beyond which it says null.
   */
  static Column exactSum(Column hash) {
    return functions.sum(hash.cast(DataTypes.createDecimalType(38, 0)));
  }

  /**
   * What Spark's hash tells a column's values apart by. It passes over nulls, so that whether there
   * is a value comes first, also where none may be missing: of two datasets to compare, one may
   * know that and the other not.
   */
  private static Stream<Column> hashable(StructField field) {
    Column column = NamedColumn.of(field.name());
    SparkCalls calls = SparkCalls.here();
    Expression value = told(calls.expression(column), field.dataType());
    return Stream.of(column.isNull(), calls.column(value));
  }

  /**
   * A value as one that Spark's hash leaves nothing out of; null if it is. It takes -0.0 for 0.0;
   * all NaNs are one, as in Parquet files that Java writes.
   */
  private static Expression told(Expression value, DataType type) {
    if (type instanceof FloatType) {
      return WordColumns.invokeStatic(Float.class, "floatToIntBits", DataTypes.IntegerType, value);
    }
    if (type instanceof DoubleType) {
      return WordColumns.invokeStatic(Double.class, "doubleToLongBits", DataTypes.LongType, value);
    }
    if (type instanceof ArrayType || type instanceof MapType || type instanceof StructType) {
      return WordColumns.invoke(
          ValueHash.class, ValueHash.of(type), "hash", DataTypes.LongType, value);
    }
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowFingerprint
        && rows == ((RowFingerprint) other).rows
        && sum.compareTo(((RowFingerprint) other).sum) == 0;
  }

  @Override
  public int hashCode() {
    return Objects.hash(rows, sum.stripTrailingZeros());
  }

  @Override
  public String toString() {
    return String.format("%,d rows of hash %s", rows, sum.toBigInteger().toString(16));
  }
}
