package io.hudizorder.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigInteger;
import java.nio.ByteOrder;

/**
 * One value as one 64-bit word whose unsigned order is the order of the values.
 *
 * <p>The value's own bits are changed until their unsigned order is the value's order, and moved to
 * the top of the word, so that columns of different widths weigh the same once interleaved. What
 * does not fit is saturated or cut off at the low end, never wrapped: distinct values may share a
 * word, but order never inverts. Words are comparable within one column type only. The bits of
 * every type, with test vectors, are in {@code java/KEY_FORMAT.md}.
 */
public final class Words {

  /** The word of null, which sorts first and is no value's word. */
  public static final long NULL = 0L;

  /** Most decimal digits whose unscaled value is passed as a long. */
  static final int MAX_LONG_PRECISION = 18;

  /** Most decimal digits of any decimal. */
  public static final int MAX_PRECISION = 38;

  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** Two's complement bits, sign included, of an unscaled value of so many digits. */
  private static final int[] DECIMAL_BITS = decimalBits();

  private Words() {}

  /** False before true: the value is the top bit. */
  public static long ofBoolean(boolean value) {
    return aboveNull(value ? Long.MIN_VALUE : 0L);
  }

  /** The order of {@link Byte#compare}. */
  public static long ofByte(byte value) {
    return aboveNull(signFlipped((long) value << 56));
  }

  /** The order of {@link Short#compare}. */
  public static long ofShort(short value) {
    return aboveNull(signFlipped((long) value << 48));
  }

  /** The order of {@link Integer#compare}. */
  public static long ofInt(int value) {
    return aboveNull(signFlipped((long) value << 32));
  }

  /**
   * The order of {@link Long#compare}, except that the two smallest values share a word; also of
   * timestamps, in microseconds since 1970-01-01T00:00:00.
   */
  public static long ofLong(long value) {
    return aboveNull(signFlipped(value));
  }

  /** The order of {@link Float#compare}, except that -0.0 equals 0.0. Every NaN is one value. */
  public static long ofFloat(float value) {
    // Adding 0.0 turns -0.0 into 0.0; floatToIntBits turns every NaN into the same positive one.
    int bits = Float.floatToIntBits(value + 0.0f);
    return (long) (bits ^ ((bits >> 31) | Integer.MIN_VALUE)) << 32;
  }

  /** The order of {@link Double#compare}, except that -0.0 equals 0.0. Every NaN is one value. */
  public static long ofDouble(double value) {
    // A negative has all its bits flipped, since its magnitude grows downwards, any other its sign.
    long bits = Double.doubleToLongBits(value + 0.0);
    return bits ^ ((bits >> 63) | Long.MIN_VALUE);
  }

  /** Earlier dates first; days since 1970-01-01, which may be negative. */
  public static long ofDate(int epochDay) {
    return ofInt(epochDay);
  }

  /**
   * The numeric order of decimals of one precision and scale.
   *
   * @param unscaled the value times 10^scale; beyond the bits of the precision it saturates
   * @param precision digits of the column, 1 to 18
   * @throws IllegalArgumentException if the precision is not in that range
   */
  public static long ofDecimal(long unscaled, int precision) {
    requirePrecision(precision, 1, MAX_LONG_PRECISION);
    int bits = DECIMAL_BITS[precision];
    long limit = 1L << (bits - 1);
    long fitting = Math.max(-limit, Math.min(limit - 1, unscaled));
    return aboveNull(signFlipped(fitting << (64 - bits)));
  }

  /**
   * The numeric order of decimals of one precision and scale, by their 64 leading bits: values that
   * differ below these share a word.
   *
   * @param unscaled the value times 10^scale; beyond the bits of the precision it saturates
   * @param precision digits of the column, 19 to 38
   * @throws IllegalArgumentException if the precision is not in that range
   */
  public static long ofDecimal(BigInteger unscaled, int precision) {
    requirePrecision(precision, MAX_LONG_PRECISION + 1, MAX_PRECISION);
    // BigInteger shifts towards negative infinity, which keeps the order across zero.
    BigInteger leading = unscaled.shiftRight(DECIMAL_BITS[precision] - 64);
    if (leading.bitLength() < 64) {
      return aboveNull(signFlipped(leading.longValue()));
    }
    return aboveNull(signFlipped(leading.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE));
  }

  /**
   * The order of {@link java.util.Arrays#compareUnsigned(byte[], byte[])} on the first 8 bytes,
   * shorter values filled with zeros on the right: values with the same 8 bytes share a word.
   *
   * @param bytes a string as UTF-8, or binary
   */
  public static long ofBytes(byte[] bytes) {
    if (bytes.length >= Long.BYTES) {
      return aboveNull((long) BIG_ENDIAN.get(bytes, 0));
    }
    long word = 0L;
    for (int i = 0; i < bytes.length; i++) {
      word |= (bytes[i] & 0xFFL) << (56 - 8 * i);
    }
    return aboveNull(word);
  }

  /**
   * The same of the first 8 bytes as a number.
   *
   * @param leading the first byte in the top bits, zeros at the low end where there are fewer
   */
  public static long ofLeadingBytes(long leading) {
    return aboveNull(leading);
  }

  private static long signFlipped(long twosComplement) {
    return twosComplement ^ Long.MIN_VALUE;
  }

  /** The unsigned maximum of the raw bits and 1: the lowest values share 1, null alone has 0. */
  private static long aboveNull(long raw) {
    return raw == NULL ? 1L : raw;
  }

  private static void requirePrecision(int precision, int min, int max) {
    if (precision < min || precision > max) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot encode a decimal: this method takes %d to %d digits, 'precision' was '%d'; "
                  + "pass the column's own precision, up to %d as long, up to %d as BigInteger",
              min, max, precision, MAX_LONG_PRECISION, MAX_PRECISION));
    }
  }

  private static int[] decimalBits() {
    int[] bits = new int[MAX_PRECISION + 1];
    for (int precision = 1; precision <= MAX_PRECISION; precision++) {
      bits[precision] = BigInteger.TEN.pow(precision).subtract(BigInteger.ONE).bitLength() + 1;
    }
    return bits;
  }
}
