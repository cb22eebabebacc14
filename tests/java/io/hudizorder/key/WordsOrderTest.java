package io.hudizorder.key;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Comparator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Awkward values of every type in ascending order, every pair compared; shared words are listed.
 */
class WordsOrderTest {

  @Test
  void booleans() {
    Ascending.of("boolean", Words::ofBoolean, Boolean::compare)
        .thenEach(false, true)
        .assertWordsFollow();
  }

  @Test
  void bytes() {
    Ascending.of("byte", Words::ofByte, Byte::compare)
        .thenEach(Byte.MIN_VALUE, (byte) -127, (byte) -2, (byte) -1, (byte) 0, (byte) 1)
        .thenEach((byte) 126, Byte.MAX_VALUE)
        .assertWordsFollow();
  }

  @Test
  void shorts() {
    Ascending.of("short", Words::ofShort, Short::compare)
        .thenEach(Short.MIN_VALUE, (short) -32767, (short) -129, (short) -1, (short) 0, (short) 1)
        .thenEach((short) 256, Short.MAX_VALUE)
        .assertWordsFollow();
  }

  @Test
  void ints() {
    Ascending.of("int", Words::ofInt, Integer::compare)
        .thenEach(Integer.MIN_VALUE, Integer.MIN_VALUE + 1, -65_536, -2, -1, 0, 1, 2, 65_536)
        .thenEach(Integer.MAX_VALUE - 1, Integer.MAX_VALUE)
        .assertWordsFollow();
  }

  @Test
  void longs() {
    Ascending.of("long", Words::ofLong, Long::compare)
        .then(Long.MIN_VALUE, Long.MIN_VALUE + 1)
        .thenEach(Long.MIN_VALUE + 2, -1L << 32, (long) Integer.MIN_VALUE, -2L, -1L, 0L, 1L, 2L)
        .thenEach((long) Integer.MAX_VALUE, 1L << 32, Long.MAX_VALUE - 1, Long.MAX_VALUE)
        .assertWordsFollow();
  }

  @Test
  void floats() {
    Ascending.of("float", Words::ofFloat, (a, b) -> Float.compare(a + 0.0f, b + 0.0f))
        .thenEach(Float.NEGATIVE_INFINITY, -Float.MAX_VALUE, -1.5f, -1.0f, -Float.MIN_NORMAL)
        .thenEach(Math.nextUp(-Float.MIN_NORMAL), -2 * Float.MIN_VALUE, -Float.MIN_VALUE)
        .then(-0.0f, 0.0f)
        .thenEach(Float.MIN_VALUE, 2 * Float.MIN_VALUE, Math.nextDown(Float.MIN_NORMAL))
        .thenEach(Float.MIN_NORMAL, 1.0f, Math.nextUp(1.0f), Float.MAX_VALUE)
        .then(Float.POSITIVE_INFINITY)
        .then(
            Float.NaN,
            Float.intBitsToFloat(0x7F80_0001),
            Float.intBitsToFloat(0x7FFF_FFFF),
            Float.intBitsToFloat(0xFF80_0001),
            Float.intBitsToFloat(0xFFC0_0000),
            Float.intBitsToFloat(0xFFFF_FFFF))
        .assertWordsFollow();
  }

  @Test
  void doubles() {
    Ascending.of("double", Words::ofDouble, (a, b) -> Double.compare(a + 0.0, b + 0.0))
        .thenEach(Double.NEGATIVE_INFINITY, -Double.MAX_VALUE, -1.5, -1.0, -Double.MIN_NORMAL)
        .thenEach(Math.nextUp(-Double.MIN_NORMAL), -2 * Double.MIN_VALUE, -Double.MIN_VALUE)
        .then(-0.0, 0.0)
        .thenEach(Double.MIN_VALUE, 2 * Double.MIN_VALUE, Math.nextDown(Double.MIN_NORMAL))
        .thenEach(Double.MIN_NORMAL, 1.0, Math.nextUp(1.0), Double.MAX_VALUE)
        .then(Double.POSITIVE_INFINITY)
        .then(
            Double.NaN,
            Double.longBitsToDouble(0x7FF0_0000_0000_0001L),
            Double.longBitsToDouble(0x7FFF_FFFF_FFFF_FFFFL),
            Double.longBitsToDouble(0xFFF0_0000_0000_0001L),
            Double.longBitsToDouble(0xFFF8_0000_0000_0000L),
            Double.longBitsToDouble(0xFFFF_FFFF_FFFF_FFFFL))
        .assertWordsFollow();
  }

  @Test
  void decimalsOfMixedScaleBroughtToTheScaleOfTheColumn() {
    decimals(10, 2)
        .thenEach("-99999999.99", "-100", "-12.34", "-12.3", "-0.01")
        .then("-0", "0.0", "0.00")
        .thenEach("0.01", "0.1")
        .then("1.5", "1.50")
        .thenEach("12.3", "12.34", "1E+2", "99999999.99")
        .assertWordsFollow();
  }

  @Test
  void decimalsOfAllDigitsThatALongHolds() {
    decimals(1, 0).thenEach("-9", "-8", "-1", "0", "1", "9").assertWordsFollow();
    decimals(18, 18)
        .thenEach("-0.999999999999999999", "-0.999999999999999998", "-1E-18", "0", "1E-18")
        .thenEach("0.1", "0.999999999999999998", "0.999999999999999999")
        .assertWordsFollow();
  }

  @Test
  void decimalsOfNineteenDigitsShareWordsInPairs() {
    decimals(19, 0)
        .thenEach("-9999999999999999999", "-9999999999999999998")
        .then("-4", "-3")
        .then("-2", "-1")
        .then("0", "1")
        .then("2", "3")
        .then("9999999999999999998", "9999999999999999999")
        .assertWordsFollow();
  }

  @Test
  void decimalsOf38DigitsShareWordsBelowTheir64LeadingBits() {
    String max = "9999999999999999999999999999.9999999999";
    decimals(38, 10)
        .then("-" + max, "-9999999999999999999999999999.9")
        .then("-9999999999999999990000000000")
        .then("-1844674407.3709551617")
        .then("-1844674407.3709551616", "-1", "-0.5", "-1E-10")
        .then("0", "1E-10", "0.50", "1", "1844674407.3709551615")
        .then("1844674407.3709551616")
        .then("9999999999999999990000000000")
        .then("9999999999999999999999999999", max)
        .assertWordsFollow();
    decimals(38, 38)
        .thenEach("-0.99999999999999999999999999999999999999", "-0.5", "-1E-18", "0", "1E-18")
        .thenEach("0.25", "0.5", "0.99999999999999999999999999999999999999")
        .assertWordsFollow();
  }

  @Test
  void decimalsBeyondTheirPrecisionSaturate() {
    Ascending.of("decimal(2,0)", (Long unscaled) -> Words.ofDecimal(unscaled, 2), Long::compare)
        .then(Long.MIN_VALUE, -129L, -128L)
        .thenEach(-127L, -100L, -99L, 99L, 100L, 126L)
        .then(127L, 128L, Long.MAX_VALUE)
        .assertWordsFollow();
    BigInteger limit = BigInteger.ONE.shiftLeft(127);
    Ascending.of(
            "decimal(38,0)",
            (BigInteger unscaled) -> Words.ofDecimal(unscaled, 38),
            Comparator.<BigInteger>naturalOrder())
        // Raw bits 0 and 1, which null pushes together.
        .then(limit.shiftLeft(9).negate(), limit.negate(), limit.negate().setBit(64))
        .then(limit.negate().setBit(65))
        .then(BigInteger.ZERO)
        .then(limit.subtract(BigInteger.ONE), limit, limit.shiftLeft(9))
        .assertWordsFollow();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 19, 39})
  void precisionsOutOfRangeAreRefusedByValue(int precision) {
    assertThatThrownBy(() -> Words.ofDecimal(1L, precision))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot encode a decimal: ")
        .hasMessageContaining("'precision' was '" + precision + "'");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 18, 39})
  void precisionsOutOfRangeAreRefusedByValueForWideDecimals(int precision) {
    assertThatThrownBy(() -> Words.ofDecimal(BigInteger.ONE, precision))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("takes 19 to 38 digits")
        .hasMessageContaining("'precision' was '" + precision + "'");
  }

  @Test
  void dates() {
    Ascending.of(
            "date",
            (LocalDate date) -> Words.ofDate(Math.toIntExact(date.toEpochDay())),
            Comparator.comparing(LocalDate::toEpochDay))
        .then(LocalDate.ofEpochDay(Integer.MIN_VALUE))
        .thenEach(LocalDate.parse("0001-01-01"), LocalDate.parse("1582-10-04"))
        .thenEach(LocalDate.parse("1582-10-15"), LocalDate.parse("1969-12-31"))
        .thenEach(LocalDate.EPOCH, LocalDate.parse("1970-01-02"), LocalDate.parse("2026-11-01"))
        .thenEach(LocalDate.parse("9999-12-31"), LocalDate.ofEpochDay(Integer.MAX_VALUE))
        .assertWordsFollow();
  }

  @Test
  void timestampsOneMicrosecondApart() {
    Ascending.of(
            "timestamp",
            (LocalDateTime time) -> Words.ofLong(micros(time)),
            Comparator.comparing(time -> time.toInstant(ZoneOffset.UTC)))
        .thenEach(time("0001-01-01T00:00"), time("1969-12-31T23:59:59.999998"))
        .thenEach(time("1969-12-31T23:59:59.999999"), time("1970-01-01T00:00"))
        .thenEach(time("1970-01-01T00:00:00.000001"), time("2026-11-01T12:00"))
        .thenEach(time("2026-11-01T12:00:00.000001"), time("2026-11-01T12:00:00.000002"))
        .thenEach(time("2026-11-01T12:00:00.001"), time("9999-12-31T23:59:59.999999"))
        .assertWordsFollow();
    Ascending.of("timestamp in microseconds", Words::ofLong, Long::compare)
        .then(Long.MIN_VALUE, Long.MIN_VALUE + 1)
        .thenEach(Long.MIN_VALUE + 2, -1L, 0L, 1L, Long.MAX_VALUE - 1, Long.MAX_VALUE)
        .assertWordsFollow();
  }

  @Test
  void stringsAsUnsignedUtf8() {
    String zeros = "\0\0\0\0\0\0\0";
    Ascending.of(
            "string",
            (String text) -> Words.ofBytes(utf8(text)),
            (a, b) -> Arrays.compareUnsigned(utf8(a), utf8(b)),
            text -> '"' + text.replace('\0', '0') + '"')
        // The empty string is filled with zeros; null takes 0 from it, so that it meets 1.
        .then("", "\0", zeros + "\0", zeros + "\0x", zeros + "\1")
        .thenEach(zeros + "\2", "\1", " ", "A", "Z")
        .then("a", "a\0", "a" + zeros)
        .thenEach("a\1", "aa", "aaaaaaa", "b")
        .then("customer", "customer\0", "customer-1", "customer-2", "customers")
        .thenEach("customr", "z", "\u007f")
        .thenEach("\u0080", "é", "ÿ", "€", "€€", "\ufffd", "\uffff")
        // UTF-16 has the surrogates of these before U+FFFD.
        .thenEach("\ud800\udc00", "😀", "😀a", "😁")
        .assertWordsFollow();
  }

  @Test
  void binaryAsUnsignedBytes() {
    Ascending.of("binary", (byte[] bytes) -> Words.ofBytes(bytes), Arrays::compareUnsigned, Hex::of)
        .then(Hex.bytes(""), Hex.bytes("00"), Hex.bytes("0000000000000001"))
        .thenEach(Hex.bytes("0000000000000002"), Hex.bytes("01"), Hex.bytes("7fffffffffffffff"))
        .then(Hex.bytes("80"), Hex.bytes("8000"), Hex.bytes("800000000000000000"))
        .thenEach(Hex.bytes("8001"), Hex.bytes("ff"), Hex.bytes("fffffffffffffffe"))
        .then(Hex.bytes("ffffffffffffffff"), Hex.bytes("ffffffffffffffffff"))
        .assertWordsFollow();
  }

  /** Decimals as text, brought to the column's scale as Spark does. */
  private static Ascending<String> decimals(int precision, int scale) {
    return Ascending.of(
        String.format("decimal(%d,%d)", precision, scale),
        text -> {
          BigInteger unscaled = new BigDecimal(text).setScale(scale).unscaledValue();
          return precision <= Words.MAX_LONG_PRECISION
              ? Words.ofDecimal(unscaled.longValueExact(), precision)
              : Words.ofDecimal(unscaled, precision);
        },
        Comparator.comparing(BigDecimal::new));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static LocalDateTime time(String text) {
    return LocalDateTime.parse(text);
  }

  private static long micros(LocalDateTime time) {
    return ChronoUnit.MICROS.between(LocalDate.EPOCH.atStartOfDay(), time);
  }
}
