package io.hudizorder.key;

import java.math.BigInteger;
import java.util.Arrays;

/**
 * Values that do not fit a word, as bytes whose unsigned lexicographic order is the values' order.
 *
 * <p>Where {@link Words} keeps the leading 64 bits, these keep every bit, so that ranks learnt from
 * a sample tell all values apart.
 */
public final class OrderedBytes {

  /** Bytes of a decimal: 38 digits take 127 bits and a sign. */
  private static final int DECIMAL_BYTES = 16;

  private OrderedBytes() {}

  /**
   * The order of {@link BigInteger#compareTo}: 128 bits, big-endian, sign bit flipped.
   *
   * @param unscaled the value times 10^scale, the scale being one for the whole column
   * @throws IllegalArgumentException if the value takes more than 128 bits with its sign
   */
  public static byte[] ofDecimal(BigInteger unscaled) {
    byte[] minimal = unscaled.toByteArray();
    if (minimal.length > DECIMAL_BYTES) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot encode a decimal: 128 bits hold any value of %d digits, 'unscaled' was '%s'; "
                  + "pass the unscaled value of a decimal of at most %d digits",
              Words.MAX_PRECISION, unscaled, Words.MAX_PRECISION));
    }
    byte[] bytes = new byte[DECIMAL_BYTES];
    int start = DECIMAL_BYTES - minimal.length;
    Arrays.fill(bytes, 0, start, (byte) (unscaled.signum() < 0 ? 0xFF : 0x00));
    System.arraycopy(minimal, 0, bytes, start, minimal.length);
    bytes[0] ^= (byte) 0x80;
    return bytes;
  }
}
