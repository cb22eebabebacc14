package io.hudizorder.parquet;

import io.hudizorder.hudi.HudiCalls;
import java.util.Arrays;
import java.util.Optional;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.execution.datasources.DataSourceUtils;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.YearMonthIntervalType;
import scala.Enumeration;
import scala.Function1;

/**
 * Hands one top-level field of a row to Parquet, to the same bytes as Hudi's {@code
 * HoodieRowParquetWriteSupport}, without an object for each value: no boxed dates, no {@code
 * BigInteger} for decimals of up to 18 digits.
 */
public final class FieldWriter {

  /** Hands one value that is not null to its column, at the level of what is not null. */
  @FunctionalInterface
  private interface Value {
    void add(InternalRow row, int ordinal, ColumnWriter column, int level);
  }

  private final int ordinal;
  private final ColumnDescriptor path;
  private final int level;
  private final Value value;

  private FieldWriter(int ordinal, ColumnDescriptor path, Value value) {
    this.ordinal = ordinal;
    this.path = path;
    this.level = path.getMaxDefinitionLevel();
    this.value = value;
  }

  /**
   * A writer for each field, or none at all where a field is nested, of a type that only Hudi
   * knows, or not written as is usual.
   *
   * @param parquet the file's schema, as Hudi made it of {@code schema}
   */
  public static Optional<FieldWriter[]> of(StructType schema, MessageType parquet) {
    FieldWriter[] writers = new FieldWriter[schema.length()];
    for (int i = 0; i < writers.length; i++) {
      StructField field = schema.fields()[i];
      Type type = parquet.getType(i);
      Value value = type.isPrimitive() ? value(field.dataType(), type) : null;
      if (value == null) {
        return Optional.empty();
      }
      String[] path = {type.getName()};
      writers[i] = new FieldWriter(i, parquet.getColumnDescription(path), value);
    }
    return Optional.of(writers);
  }

  ColumnDescriptor path() {
    return path;
  }

  void write(InternalRow row, ColumnWriter column) {
    if (row.isNullAt(ordinal)) {
      column.writeNull(0, 0);
    } else {
      value.add(row, ordinal, column, level);
    }
  }

  private static Value value(DataType type, Type parquet) {
    if (type instanceof BooleanType) {
      return (row, i, column, level) -> column.write(row.getBoolean(i), 0, level);
    } else if (type instanceof ShortType) {
      return (row, i, column, level) -> column.write((int) row.getShort(i), 0, level);
    } else if (type instanceof IntegerType || type instanceof YearMonthIntervalType) {
      return (row, i, column, level) -> column.write(row.getInt(i), 0, level);
    } else if (type instanceof LongType || type instanceof DayTimeIntervalType) {
      return (row, i, column, level) -> column.write(row.getLong(i), 0, level);
    } else if (type instanceof FloatType) {
      return (row, i, column, level) -> column.write(row.getFloat(i), 0, level);
    } else if (type instanceof DoubleType) {
      return (row, i, column, level) -> column.write(row.getDouble(i), 0, level);
    } else if (type instanceof StringType) {
      return (row, i, column, level) ->
          column.write(Binary.fromReusedByteArray(row.getUTF8String(i).getBytes()), 0, level);
    } else if (type instanceof BinaryType) {
      return (row, i, column, level) ->
          column.write(Binary.fromReusedByteArray(row.getBinary(i)), 0, level);
    } else if (type instanceof DateType) {
      return date();
    } else if (type instanceof DecimalType && is(parquet, PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY)) {
      return decimal((DecimalType) type);
    } else if (type instanceof TimestampType && is(parquet, PrimitiveTypeName.INT64)) {
      return timestamp(inMilliseconds(parquet));
    } else if (type instanceof TimestampNTZType && is(parquet, PrimitiveTypeName.INT64)) {
      return inMilliseconds(parquet)
          ? (row, i, column, level) ->
              column.write(DateTimeUtils.microsToMillis(row.getLong(i)), 0, level)
          : (row, i, column, level) -> column.write(row.getLong(i), 0, level);
    }
    return null;
  }

  /** Some types may be written in several ways, of which the usual one is meant. */
  private static boolean is(Type parquet, PrimitiveTypeName name) {
    return parquet.isPrimitive() && parquet.asPrimitiveType().getPrimitiveTypeName() == name;
  }

  private static Value date() {
    Function1<Object, Object> rebase =
        DataSourceUtils.createDateRebaseFuncInWrite(calendar(), "Parquet");
    return (row, i, column, level) -> column.write(rebase.apply$mcII$sp(row.getInt(i)), 0, level);
  }

  private static Value timestamp(boolean milliseconds) {
    Function1<Object, Object> rebase =
        DataSourceUtils.createTimestampRebaseFuncInWrite(calendar(), "Parquet");
    return milliseconds
        ? (row, i, column, level) ->
            column.write(
                DateTimeUtils.microsToMillis(rebase.apply$mcJJ$sp(row.getLong(i))), 0, level)
        : (row, i, column, level) -> column.write(rebase.apply$mcJJ$sp(row.getLong(i)), 0, level);
  }

  /** Big-endian two's complement, as few bytes as the precision needs. */
  private static Value decimal(DecimalType type) {
    int precision = type.precision();
    int scale = type.scale();
    byte[] bytes = new byte[Decimal.minBytesForPrecision()[precision]];
    Binary binary = Binary.fromReusedByteArray(bytes);
    if (precision <= Decimal.MAX_LONG_DIGITS()) {
      return (row, i, column, level) -> {
        long unscaled = row.getDecimal(i, precision, scale).toUnscaledLong();
        for (int b = bytes.length - 1; b >= 0; b--) {
          bytes[b] = (byte) unscaled;
          unscaled >>= Byte.SIZE;
        }
        if (unscaled != bytes[0] >> Byte.SIZE - 1) {
          throw new ArithmeticException("a value has more digits than its type, " + type.sql());
        }
        column.write(binary, 0, level);
      };
    }
    return (row, i, column, level) -> {
      byte[] unscaled =
          row.getDecimal(i, precision, scale).toJavaBigDecimal().unscaledValue().toByteArray();
      int padding = bytes.length - unscaled.length;
      Arrays.fill(bytes, 0, padding, (byte) (unscaled[0] < 0 ? -1 : 0));
      System.arraycopy(unscaled, 0, bytes, padding, unscaled.length);
      column.write(binary, 0, level);
    };
  }

  private static boolean inMilliseconds(Type parquet) {
    return ((TimestampLogicalTypeAnnotation) parquet.getLogicalTypeAnnotation()).getUnit()
        == LogicalTypeAnnotation.TimeUnit.MILLIS;
  }

  /** Which calendar dates and times are written in, as configured. */
  private static Enumeration.Value calendar() {
    return HudiCalls.here().calendar();
  }
}
