package io.hudizorder.spark.expression;

import java.io.Serializable;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.catalyst.expressions.XxHash64Function;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import scala.Function2;

/**
 * A hash of a value of one type at any depth, made for a type once and called from generated code.
 * Spark's own leaves out what is null or empty, takes -0.0 for 0.0 and refuses maps. The entries of
 * a map have no order here: Hudi's record writer keeps none.
 */
public abstract class ValueHash implements Serializable {

  private static final long serialVersionUID = 1L;

  private static final long SEED = 42;

  static ValueHash of(DataType type) {
    if (type instanceof ArrayType) {
      return new OfArray((ArrayType) type);
    }
    if (type instanceof MapType) {
      return new OfMap((MapType) type);
    }
    if (type instanceof StructType) {
      return new OfStruct((StructType) type);
    }
    return new OfAtom(type);
  }

  /** The hash of a value, not null, as Spark represents it. */
  public final long hash(Object value) {
    return hash(value, SEED);
  }

  abstract long hash(Object value, long seed);

  private static final class OfArray extends ValueHash {
    private final Part elements;

    private OfArray(ArrayType type) {
      this.elements = new Part(type.elementType());
    }

    @Override
    long hash(Object value, long seed) {
      ArrayData array = (ArrayData) value;
      int size = array.numElements();
      long hash = XXH64.hashInt(size, seed);
      for (int i = 0; i < size; i++) {
        hash = elements.hash(array, i, hash);
      }
      return hash;
    }
  }

  private static final class OfMap extends ValueHash {
    private final Part keys;
    private final Part values;

    private OfMap(MapType type) {
      this.keys = new Part(type.keyType());
      this.values = new Part(type.valueType());
    }

    @Override
    long hash(Object value, long seed) {
      MapData map = (MapData) value;
      long[] entries = new long[map.numElements()];
      for (int i = 0; i < entries.length; i++) {
        entries[i] = values.hash(map.valueArray(), i, keys.hash(map.keyArray(), i, seed));
      }
      Arrays.sort(entries);
      long hash = XXH64.hashInt(entries.length, seed);
      for (long entry : entries) {
        hash = XXH64.hashLong(entry, hash);
      }
      return hash;
    }
  }

  private static final class OfStruct extends ValueHash {
    private final Part[] fields;

    private OfStruct(StructType type) {
      this.fields =
          Arrays.stream(type.fields())
              .map(field -> new Part(field.dataType()))
              .toArray(Part[]::new);
    }

    @Override
    long hash(Object value, long seed) {
      long hash = seed;
      for (int i = 0; i < fields.length; i++) {
        hash = fields[i].hash((InternalRow) value, i, hash);
      }
      return hash;
    }
  }

  private static final class OfAtom extends ValueHash {
    private final DataType type;

    private OfAtom(DataType type) {
      this.type = type;
    }

    @Override
    long hash(Object value, long seed) {
      if (type instanceof FloatType) {
        return XXH64.hashInt(Float.floatToIntBits((Float) value), seed);
      }
      if (type instanceof DoubleType) {
        return XXH64.hashLong(Double.doubleToLongBits((Double) value), seed);
      }
      if (type instanceof DecimalType) {
        return XxHash64Function.hash(unscaled((Decimal) value), DataTypes.BinaryType, seed);
      }
      return XxHash64Function.hash(value, type, seed);
    }

    /** A decimal in an array need not have been brought to the precision and scale of its type. */
    private byte[] unscaled(Decimal value) {
      BigDecimal decimal = value.toJavaBigDecimal();
      return decimal
          .setScale(((DecimalType) type).scale(), RoundingMode.HALF_UP)
          .unscaledValue()
          .toByteArray();
    }
  }

  /** A value within another, where it may be null. */
  private static final class Part implements Serializable {
    private static final long serialVersionUID = 1L;

    private final Function2<SpecializedGetters, Object, Object> accessor;
    private final ValueHash hash;

    private Part(DataType type) {
      this.accessor = InternalRow.getAccessor(type, true);
      this.hash = ValueHash.of(type);
    }

    private long hash(SpecializedGetters owner, int ordinal, long seed) {
      Object value = accessor.apply(owner, ordinal);
      return value == null ? XXH64.hashInt(0, seed) : hash.hash(value, XXH64.hashInt(1, seed));
    }
  }
}
