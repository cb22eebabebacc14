package io.hudizorder.parquet;

import io.hudizorder.hudi.HudiCalls;
import java.util.Arrays;
import java.util.Optional;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
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

  /** Hands one value that is not null to Parquet. */
  @FunctionalInterface
  private interface Value {
    void add(InternalRow row, int ordinal, RecordConsumer consumer);
  }

  private final String name;
  private final int ordinal;
  private final Value value;

  private FieldWriter(String name, int ordinal, Value value) {
    this.name = name;
    this.ordinal = ordinal;
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
      Value value = value(field.dataType(), parquet.getType(i));
      if (value == null) {
        return Optional.empty();
      }
      writers[i] = new FieldWriter(field.name(), i, value);
    }
    return Optional.of(writers);
  }

  public void write(InternalRow row, RecordConsumer consumer) {
    if (!row.isNullAt(ordinal)) {
      consumer.startField(name, ordinal);
      value.add(row, ordinal, consumer);
      consumer.endField(name, ordinal);
    }
  }

  private static Value value(DataType type, Type parquet) {
    if (type instanceof BooleanType) {
      return (row, i, consumer) -> consumer.addBoolean(row.getBoolean(i));
    } else if (type instanceof ShortType) {
      return (row, i, consumer) -> consumer.addInteger(row.getShort(i));
    } else if (type instanceof IntegerType || type instanceof YearMonthIntervalType) {
      return (row, i, consumer) -> consumer.addInteger(row.getInt(i));
    } else if (type instanceof LongType || type instanceof DayTimeIntervalType) {
      return (row, i, consumer) -> consumer.addLong(row.getLong(i));
    } else if (type instanceof FloatType) {
      return (row, i, consumer) -> consumer.addFloat(row.getFloat(i));
    } else if (type instanceof DoubleType) {
      return (row, i, consumer) -> consumer.addDouble(row.getDouble(i));
    } else if (type instanceof StringType) {
      return (row, i, consumer) ->
          consumer.addBinary(Binary.fromReusedByteArray(row.getUTF8String(i).getBytes()));
    } else if (type instanceof BinaryType) {
      return (row, i, consumer) -> consumer.addBinary(Binary.fromReusedByteArray(row.getBinary(i)));
    } else if (type instanceof DateType) {
      return date();
    } else if (type instanceof DecimalType && is(parquet, PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY)) {
      return decimal((DecimalType) type);
    } else if (type instanceof TimestampType && is(parquet, PrimitiveTypeName.INT64)) {
      return timestamp(inMilliseconds(parquet));
    } else if (type instanceof TimestampNTZType && is(parquet, PrimitiveTypeName.INT64)) {
      return inMilliseconds(parquet)
          ? (row, i, consumer) -> consumer.addLong(DateTimeUtils.microsToMillis(row.getLong(i)))
          : (row, i, consumer) -> consumer.addLong(row.getLong(i));
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
    return (row, i, consumer) -> consumer.addInteger(rebase.apply$mcII$sp(row.getInt(i)));
  }

  private static Value timestamp(boolean milliseconds) {
    Function1<Object, Object> rebase =
        DataSourceUtils.createTimestampRebaseFuncInWrite(calendar(), "Parquet");
    return milliseconds
        ? (row, i, consumer) ->
            consumer.addLong(DateTimeUtils.microsToMillis(rebase.apply$mcJJ$sp(row.getLong(i))))
        : (row, i, consumer) -> consumer.addLong(rebase.apply$mcJJ$sp(row.getLong(i)));
  }

  /** Big-endian two's complement, as few bytes as the precision needs. */
  private static Value decimal(DecimalType type) {
    int precision = type.precision();
    int scale = type.scale();
    byte[] bytes = new byte[Decimal.minBytesForPrecision()[precision]];
    Binary binary = Binary.fromReusedByteArray(bytes);
    if (precision <= Decimal.MAX_LONG_DIGITS()) {
      return (row, i, consumer) -> {
        long unscaled = row.getDecimal(i, precision, scale).toUnscaledLong();
        for (int b = bytes.length - 1; b >= 0; b--) {
          bytes[b] = (byte) unscaled;
          unscaled >>= Byte.SIZE;
        }
        if (unscaled != bytes[0] >> Byte.SIZE - 1) {
          throw new ArithmeticException("a value has more digits than its type, " + type.sql());
        }
        consumer.addBinary(binary);
      };
    }
    return (row, i, consumer) -> {
      byte[] unscaled =
          row.getDecimal(i, precision, scale).toJavaBigDecimal().unscaledValue().toByteArray();
      int padding = bytes.length - unscaled.length;
      Arrays.fill(bytes, 0, padding, (byte) (unscaled[0] < 0 ? -1 : 0));
      System.arraycopy(unscaled, 0, bytes, padding, unscaled.length);
      consumer.addBinary(binary);
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
