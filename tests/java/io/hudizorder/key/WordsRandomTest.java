package io.hudizorder.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

/**
 * Words of random raw bits, so that NaN, negatives and extremes occur, against the order of values.
 * Half of the pairs are neighbours in all but a few low bits.
 */
class WordsRandomTest {

  private static final long SEED = 20_261_101L;
  private static final int PAIRS = 100_000;

  @Test
  void bytesShortsAndInts() {
    assertSameOrder("byte", bits -> (byte) bits.longValue(), Words::ofByte, Byte::compare);
    assertSameOrder("short", bits -> (short) bits.longValue(), Words::ofShort, Short::compare);
    assertSameOrder("int", Long::intValue, Words::ofInt, Integer::compare);
    assertSameOrder("date", Long::intValue, Words::ofDate, Integer::compare);
  }

  @Test
  void longsAndTimestamps() {
    assertSameOrder("long", bits -> bits, Words::ofLong, WordsRandomTest::compareAboveSmallest);
  }

  @Test
  void floatsAndDoubles() {
    assertSameOrder(
        "float",
        bits -> Float.intBitsToFloat(bits.intValue()),
        Words::ofFloat,
        (a, b) -> Float.compare(a + 0.0f, b + 0.0f));
    assertSameOrder(
        "double",
        Double::longBitsToDouble,
        Words::ofDouble,
        (a, b) -> Double.compare(a + 0.0, b + 0.0));
  }

  @Test
  void decimalsThatALongHolds() {
    for (int digits = 1; digits <= Words.MAX_LONG_PRECISION; digits++) {
      int precision = digits;
      long limit = BigInteger.TEN.pow(precision).longValueExact();
      assertSameOrder(
          "decimal(" + precision + ")",
          bits -> bits % limit,
          unscaled -> Words.ofDecimal(unscaled, precision),
          Long::compare);
    }
  }

  @Test
  void wideDecimalsByTheirLeadingBits() {
    Random random = new Random(SEED);
    for (int precision = Words.MAX_LONG_PRECISION + 1; precision <= 38; precision++) {
      BigInteger limit = BigInteger.TEN.pow(precision);
      int cutOff = limit.subtract(BigInteger.ONE).bitLength() + 1 - 64;
      BigInteger unit = BigInteger.TWO.pow(cutOff);
      for (int pair = 0; pair < 2_000; pair++) {
        BigInteger a = new BigInteger(140, random).mod(limit);
        a = random.nextBoolean() ? a : a.negate();
        // Neighbours around the cut: about as often in one unit as not.
        BigInteger step = new BigInteger(cutOff + random.nextInt(3), random);
        BigInteger b = random.nextBoolean() ? a.subtract(step) : a.add(step);
        int expected = floor(a, unit).compareTo(floor(b, unit));
        assertThat(order(Words.ofDecimal(a, precision), Words.ofDecimal(b, precision)))
            .as("decimal(%d), seed %d: order of %s and %s", precision, SEED, a, b)
            .isEqualTo(expected);
      }
    }
  }

  @Test
  void bytesByTheFirstEight() {
    Random random = new Random(SEED);
    byte[] alphabet = {0, 1, 'a', 0x7F, (byte) 0x80, (byte) 0xFF};
    for (int pair = 0; pair < PAIRS; pair++) {
      byte[] a = randomBytes(random, alphabet);
      byte[] b = randomBytes(random, alphabet);
      System.arraycopy(a, 0, b, 0, Math.min(random.nextInt(10), Math.min(a.length, b.length)));
      int actual = order(Words.ofBytes(a), Words.ofBytes(b));
      int expected = Integer.signum(Arrays.compareUnsigned(firstEight(a), firstEight(b)));
      assertThat(actual)
          .as("binary, seed %d: order of %s and %s", SEED, Hex.of(a), Hex.of(b))
          .isEqualTo(expected);
      assertThat(actual * Arrays.compareUnsigned(a, b))
          .as("binary, seed %d: %s and %s are not inverted", SEED, Hex.of(a), Hex.of(b))
          .isNotNegative();
    }
  }

  private static <T> void assertSameOrder(
      String type, Function<Long, T> ofBits, ToLongFunction<T> word, Comparator<T> order) {
    Random random = new Random(SEED);
    for (int pair = 0; pair < PAIRS; pair++) {
      long bits = random.nextLong();
      long others =
          random.nextBoolean()
              ? random.nextLong()
              : bits ^ random.nextLong() >>> random.nextInt(64);
      T a = ofBits.apply(bits);
      T b = ofBits.apply(others);
      int expected = Integer.signum(order.compare(a, b));
      if (order(word.applyAsLong(a), word.applyAsLong(b)) != expected) {
        throw new AssertionError(
            String.format(
                "%s, seed %d, pair %d: %s (%016x) and %s (%016x) should compare as %d",
                type, SEED, pair, a, bits, b, others, expected));
      }
    }
  }

  /** The order of longs, of which the two smallest are one. */
  private static int compareAboveSmallest(long a, long b) {
    return Long.compare(Math.max(a, -Long.MAX_VALUE), Math.max(b, -Long.MAX_VALUE));
  }

  private static int order(long a, long b) {
    return Integer.signum(Long.compareUnsigned(a, b));
  }

  private static BigInteger floor(BigInteger value, BigInteger unit) {
    return value.subtract(value.mod(unit)).divide(unit);
  }

  private static byte[] randomBytes(Random random, byte[] alphabet) {
    byte[] bytes = new byte[random.nextInt(12)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = alphabet[random.nextInt(alphabet.length)];
    }
    return bytes;
  }

  /** The bytes that count; what is below 1 is raised to 1, as 0 is null. */
  private static byte[] firstEight(byte[] bytes) {
    byte[] first = Arrays.copyOf(bytes, 8);
    if (Arrays.equals(first, new byte[8])) {
      first[7] = 1;
    }
    return first;
  }
}
