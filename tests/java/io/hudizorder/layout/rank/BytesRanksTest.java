package io.hudizorder.layout.rank;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.hudizorder.key.OrderedBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.lang3.SerializationUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BytesRanksTest {
  private static final int MOST = 65_536;
  private static final String PREFIX = "https://shop.example/a/very/long/common/prefix/";

  private static final byte[][] AWKWARD =
      Stream.of(
              "",
              "\0",
              "\0\0",
              "\0\0\0\0\0\0\0\0\0",
              "\1",
              " ",
              "a",
              "a\0",
              "a\0\0\0\0\0\0\0\0\0",
              "a\1",
              "aa",
              "abcdefgh",
              "abcdefgh\0",
              "abcdefghi",
              "b",
              "https",
              PREFIX,
              PREFIX + "\0",
              PREFIX + "1",
              PREFIX + "2",
              PREFIX + "zzzzzzzzzzzzzzz",
              "httpz",
              "z",
              "\u007f",
              "\u00e9",
              "\u4e2d\u6587",
              "\ud83d\ude00")
          .map(BytesRanksTest::utf8)
          .toArray(byte[][]::new);

  private static final byte[][] BINARY = {
    {}, {0}, {0x7F}, {(byte) 0x80}, {-1}, {-1, -1}, {-1, -1, -1, -1, -1, -1, -1, -1, -1}
  };

  static Map<String, byte[][]> samples() {
    Map<String, byte[][]> samples = new TreeMap<>();
    Random random = new Random(1);
    samples.put("no rows", new byte[0][]);
    samples.put("nulls alone", new byte[100][]);
    samples.put("one row", new byte[][] {utf8("abc")});
    samples.put("empty strings", new byte[][] {{}, {}, null});
    samples.put("one extends the other", new byte[][] {utf8("a"), utf8("a\0")});
    samples.put("the awkward values", AWKWARD);
    samples.put("binary", BINARY);
    samples.put(
        "a heavy value", values(1000, i -> utf8(i < 900 ? "heavy" : "x" + random.nextInt(500))));
    samples.put("half null", values(1000, i -> i % 2 == 0 ? null : utf8("value " + i)));
    samples.put("common prefix", values(20_000, i -> utf8(PREFIX + random.nextInt(1_000_000))));
    samples.put(
        "two common prefixes",
        values(
            20_000, i -> utf8((i % 3 == 0 ? "ftp:" : "http") + PREFIX + random.nextInt(100_000))));
    samples.put("random bytes", values(20_000, i -> randomBytes(random)));
    samples.put(
        "wide decimals",
        values(20_000, i -> OrderedBytes.ofDecimal(new BigInteger(120, random).negate())));
    return samples;
  }

  private static byte[][] values(int length, java.util.function.IntFunction<byte[]> value) {
    return IntStream.range(0, length).mapToObj(value).toArray(byte[][]::new);
  }

  private static byte[] randomBytes(Random random) {
    byte[] bytes = new byte[random.nextInt(20)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void orderNeverInverts() {
    samples()
        .forEach(
            (name, sample) -> {
              for (int most : new int[] {1, 2, 100, MOST}) {
                BytesRanks ranks = BytesRanks.of(sample, most);
                assertThat(ranks.word(null)).isZero();
                assertAscending(name, ranks, probes(sample));
              }
            });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 100, MOST})
  void noMoreValuesAreRememberedThanAllowed(int most) {
    byte[][] sample = values(100_000, i -> utf8(String.format("%06d", i)));

    int bytes = SerializationUtils.serialize(BytesRanks.of(sample, most)).length;

    assertThat(bytes).isLessThan(1_000 + 48 * most);
  }

  /** Awkward values, sampled ones, ones near them, and random bytes, ascending. */
  private static byte[][] probes(byte[][] sample) {
    Random random = new Random(2);
    Stream<byte[]> sampled =
        random
            .ints(1000, 0, Math.max(1, sample.length))
            .mapToObj(row -> sample.length == 0 || sample[row] == null ? utf8("x") : sample[row])
            .flatMap(value -> Stream.of(value, near(value, random), randomBytes(random)));
    return Stream.of(Arrays.stream(AWKWARD), Arrays.stream(BINARY), sampled)
        .flatMap(values -> values)
        .sorted(Arrays::compareUnsigned)
        .toArray(byte[][]::new);
  }

  /** A value shortened, lengthened, or changed in one byte. */
  private static byte[] near(byte[] value, Random random) {
    byte[] near = Arrays.copyOf(value, Math.max(0, value.length + random.nextInt(3) - 1));
    if (near.length > 0 && random.nextBoolean()) {
      near[random.nextInt(near.length)] += (byte) (random.nextBoolean() ? 1 : -1);
    }
    return near;
  }

  private static void assertAscending(String name, BytesRanks ranks, byte[][] ascending) {
    long last = 1;
    for (byte[] value : ascending) {
      long word = ranks.word(value);
      assertThat(Long.compareUnsigned(last, word))
          .as("%s: order at %s", name, Arrays.toString(value))
          .isLessThanOrEqualTo(0);
      last = word;
    }
  }

  @Test
  void distinctValuesOfACommonPrefixKeepWordsOfTheirOwn() {
    for (String name : new String[] {"common prefix", "two common prefixes", "wide decimals"}) {
      byte[][] sample = samples().get(name);
      BytesRanks ranks = BytesRanks.of(Arrays.copyOf(sample, 2000), MOST);
      long values = Arrays.stream(sample).map(Arrays::toString).distinct().count();
      long words = Arrays.stream(sample).mapToLong(ranks::word).distinct().count();
      assertThat(words).as(name).isGreaterThan(values * 99 / 100);
    }
  }

  @Test
  void equalPartsOfTheWordSpaceHoldEquallyManyRows() {
    byte[][] values = samples().get("two common prefixes");
    BytesRanks ranks = BytesRanks.of(Arrays.copyOf(values, 5000), MOST);
    double[] inSixteenth = new double[16];
    for (byte[] value : values) {
      inSixteenth[(int) (ranks.word(value) >>> 60)] += 16.0 / values.length;
    }
    for (double share : inSixteenth) {
      assertThat(share).isCloseTo(1, within(0.2));
    }
  }

  @Test
  void longValuesLeaveASmallModel() throws IOException {
    String filler = "x".repeat(1000);
    Random random = new Random(3);
    byte[][] sample = values(20_000, i -> utf8(filler + random.nextInt() + filler));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(BytesRanks.of(sample, MOST));
    }
    assertThat(bytes.size()).isLessThan(50 * sample.length);
  }

  @Test
  void orderOfTheSampleDoesNotMatter() {
    byte[][] sample = samples().get("random bytes");
    BytesRanks ranks = BytesRanks.of(sample, 1000);
    BytesRanks same =
        BytesRanks.of(values(sample.length, i -> sample[sample.length - 1 - i]), 1000);
    for (byte[] value : probes(sample)) {
      assertThat(same.word(value)).isEqualTo(ranks.word(value));
    }
  }

  @Test
  void noBoundaryAtAllIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> BytesRanks.of(new byte[1][], 0))
        .withMessageContaining("'maxBoundaries' was '0'; allow at least 1");
  }
}
