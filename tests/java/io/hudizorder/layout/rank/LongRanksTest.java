package io.hudizorder.layout.rank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.hudizorder.key.Words;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.commons.lang3.SerializationUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LongRanksTest {
  private static final int MOST = 65_536;

  /** Ascending, unsigned. */
  private static final long[] AWKWARD = {
    0,
    1,
    2,
    3,
    0xFFFF,
    0x1_0000,
    Words.ofLong(-1),
    Words.ofLong(0),
    Words.ofLong(1),
    Words.ofDouble(-1.5) - 1,
    Words.ofDouble(0.0) + 1,
    Words.ofDouble(Double.MIN_VALUE) + 1,
    Words.ofDouble(1.0),
    Words.ofDouble(1.0) + 1,
    Words.ofDouble(Double.POSITIVE_INFINITY),
    -3,
    -2,
    -1
  };

  static Map<String, long[]> samples() {
    Map<String, long[]> samples = new TreeMap<>();
    Random random = new Random(1);
    samples.put("no rows", new long[0]);
    samples.put("nulls alone", new long[100]);
    samples.put("one row", new long[] {Words.ofLong(7)});
    samples.put("the least value", new long[] {1});
    samples.put("the greatest value", new long[] {-1});
    samples.put("both ends", new long[] {-1, 1});
    samples.put("the awkward values", AWKWARD);
    samples.put("a heavy value", values(1000, i -> i < 900 ? Words.ofLong(5) : random.nextLong()));
    samples.put("half null", values(1000, i -> i % 2 == 0 ? 0 : Words.ofInt(i)));
    samples.put("consecutive longs", values(100_000, i -> Words.ofLong(i)));
    samples.put("random bits", values(100_000, i -> random.nextLong()));
    samples.put("skewed", values(70_000, i -> Words.ofDouble(Math.exp(9 * random.nextGaussian()))));
    return samples;
  }

  private static long[] values(int length, java.util.function.IntToLongFunction value) {
    long[] values = new long[length];
    Arrays.setAll(values, value);
    return values;
  }

  @Test
  void orderNeverInverts() {
    samples()
        .forEach(
            (name, sample) -> {
              for (int most : new int[] {1, 2, 100, MOST}) {
                LongRanks ranks = LongRanks.of(sample, most);
                assertAscending(name, ranks, probes(sample));
              }
            });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 100, MOST})
  void noMoreValuesAreRememberedThanAllowed(int most) {
    long[] sample = values(100_000, Words::ofLong);

    int bytes = SerializationUtils.serialize(LongRanks.of(sample, most)).length;

    assertThat(bytes).isLessThan(1_000 + 24 * most);
  }

  /** Awkward values, sampled ones and their neighbours, and random bits, ascending. */
  private static long[] probes(long[] sample) {
    Random random = new Random(2);
    long[] probes = new long[AWKWARD.length + 4000];
    System.arraycopy(AWKWARD, 0, probes, 0, AWKWARD.length);
    for (int i = AWKWARD.length; i < probes.length; i++) {
      long near = sample.length == 0 ? 0 : sample[random.nextInt(sample.length)];
      probes[i] = i % 4 == 0 ? random.nextLong() : near + random.nextInt(3) - 1;
    }
    return Arrays.stream(probes)
        .map(word -> word ^ Long.MIN_VALUE)
        .sorted()
        .map(word -> word ^ Long.MIN_VALUE)
        .toArray();
  }

  private static void assertAscending(String name, LongRanks ranks, long[] ascending) {
    long last = 0;
    for (long value : ascending) {
      long word = ranks.word(value);
      assertThat(word == 0).as("%s: %016x is null", name, value).isEqualTo(value == 0);
      assertThat(Long.compareUnsigned(last, word))
          .as("%s: order at %016x", name, value)
          .isLessThanOrEqualTo(0);
      last = word;
    }
  }

  @Test
  void equalPartsOfTheWordSpaceHoldEquallyManyRows() {
    long[] skewed = samples().get("skewed");
    LongRanks ranks = LongRanks.of(Arrays.copyOf(skewed, 10_000), MOST);
    double[] inSixteenth = new double[16];
    for (long value : skewed) {
      inSixteenth[(int) (ranks.word(value) >>> 60)] += 16.0 / skewed.length;
    }
    for (double share : inSixteenth) {
      assertThat(share).isCloseTo(1, within(0.1));
    }
  }

  @Test
  void heavyValuesAndNullsTakeUpTheirShareOfTheWordSpace() {
    long[] sample = values(1000, i -> i < 300 ? 0 : i < 800 ? Words.ofInt(5) : Words.ofInt(i));
    LongRanks ranks = LongRanks.of(sample, MOST);
    assertThat(share(ranks.word(Words.ofInt(5)))).isCloseTo(0.3, within(0.001));
    assertThat(share(ranks.word(Words.ofInt(6)))).isGreaterThan(0.3);
    assertThat(share(ranks.word(Words.ofInt(800)))).isCloseTo(0.8, within(0.001));
    assertThat(share(ranks.word(Words.ofInt(900)))).isCloseTo(0.9, within(0.001));
  }

  private static double share(long word) {
    return (word >>> 1) / 0x1p63;
  }

  @Test
  void neighboursBetweenBoundariesKeepWordsOfTheirOwn() {
    LongRanks ranks = LongRanks.of(values(1000, i -> Words.ofLong(1_000_000L * i)), 100);
    for (long value = 123_000_000; value < 123_001_000; value++) {
      assertThat(
              Long.compareUnsigned(
                  ranks.word(Words.ofLong(value)), ranks.word(Words.ofLong(value + 1))))
          .isNegative();
    }
  }

  @Test
  void withoutASampleTheValuesOwnBitsRemain() {
    LongRanks ranks = LongRanks.of(new long[0], MOST);
    for (int value = -100; value < 100; value++) {
      assertThat(ranks.word(Words.ofInt(value)) >>> 16).isEqualTo(Words.ofInt(value) >>> 16);
    }
  }

  @Test
  void orderOfTheSampleDoesNotMatter() {
    long[] sample = samples().get("random bits");
    long[] reversed = values(sample.length, i -> sample[sample.length - 1 - i]);
    LongRanks ranks = LongRanks.of(sample, 1000);
    LongRanks same = LongRanks.of(reversed, 1000);
    for (long value : probes(sample)) {
      assertThat(same.word(value)).isEqualTo(ranks.word(value));
    }
  }

  @Test
  void noBoundaryAtAllIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LongRanks.of(new long[1], 0))
        .withMessageContaining("'maxBoundaries' was '0'; allow at least 1");
  }
}
