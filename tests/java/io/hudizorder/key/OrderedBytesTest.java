package io.hudizorder.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OrderedBytesTest {

  private static final long SEED = 20_261_101L;
  private static final BigInteger MAX = BigInteger.TWO.pow(127).subtract(BigInteger.ONE);
  private static final BigInteger MIN = BigInteger.TWO.pow(127).negate();

  @Test
  void everyPairOfAwkwardDecimalsIsInNumericOrder() {
    BigInteger digits38 = BigInteger.TEN.pow(38).subtract(BigInteger.ONE);
    BigInteger word = BigInteger.TWO.pow(64);
    List<BigInteger> ascending =
        List.of(
            MIN,
            digits38.negate(),
            word.negate().subtract(BigInteger.ONE),
            word.negate(),
            BigInteger.valueOf(-256),
            BigInteger.valueOf(-255),
            BigInteger.ONE.negate(),
            BigInteger.ZERO,
            BigInteger.ONE,
            BigInteger.valueOf(127),
            BigInteger.valueOf(128),
            word.subtract(BigInteger.ONE),
            word,
            digits38.subtract(BigInteger.ONE),
            digits38,
            MAX);
    for (int i = 0; i < ascending.size(); i++) {
      for (int j = 0; j < ascending.size(); j++) {
        assertThat(order(ascending.get(i), ascending.get(j)))
            .as("order of %s and %s", ascending.get(i), ascending.get(j))
            .isEqualTo(Integer.compare(i, j));
      }
    }
  }

  @Test
  void randomDecimalsAreInNumericOrder() {
    Random random = new Random(SEED);
    for (int pair = 0; pair < 20_000; pair++) {
      BigInteger a = new BigInteger(128, random).add(MIN);
      BigInteger distance = new BigInteger(1 + random.nextInt(127), random);
      BigInteger b = a.signum() < 0 ? a.add(distance) : a.subtract(distance);
      assertThat(order(a, b))
          .as("seed %d: order of %s and %s", SEED, a, b)
          .isEqualTo(a.compareTo(b));
    }
  }

  @Test
  void zeroIsTheMiddleOfSixteenBytes() {
    assertThat(Hex.of(OrderedBytes.ofDecimal(BigInteger.ZERO)))
        .isEqualTo("80000000000000000000000000000000");
    assertThat(Hex.of(OrderedBytes.ofDecimal(BigInteger.ONE.negate())))
        .isEqualTo("7fffffffffffffffffffffffffffffff");
  }

  @Test
  void moreThan128BitsAreRefusedByValue() {
    BigInteger tooLarge = MAX.add(BigInteger.ONE);
    assertThatThrownBy(() -> OrderedBytes.ofDecimal(tooLarge))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot encode a decimal: ")
        .hasMessageContaining("'unscaled' was '" + tooLarge + "'");
  }

  private static int order(BigInteger a, BigInteger b) {
    return Integer.signum(
        Arrays.compareUnsigned(OrderedBytes.ofDecimal(a), OrderedBytes.ofDecimal(b)));
  }
}
