package io.hudizorder.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class HilbertTest {

  private static final long SEED = 20_261_101L;

  static IntStream everyNumberOfColumns() {
    return IntStream.rangeClosed(1, ZValue.MAX_COLUMNS);
  }

  @ParameterizedTest(name = "{0} columns of {1} bits")
  @CsvSource({"1,6", "2,1", "2,2", "2,3", "2,6", "3,1", "3,2", "3,4", "4,1", "4,2", "4,3", "5,2"})
  void visitsEveryCellOnceAndNeighboursNext(int columns, int bits) {
    int cells = 1 << columns * bits;
    long[][] path = new long[cells][];
    for (int cell = 0; cell < cells; cell++) {
      long[] words = new long[columns];
      for (int column = 0; column < columns; column++) {
        long coordinate = cell >>> column * bits & (1L << bits) - 1;
        words[column] = coordinate << (64 - bits);
      }
      long[] transposed = Hilbert.transpose(words, bits);
      int index = (int) (ZValue.leadingBits(transposed) >>> (64 - columns * bits));
      assertThat(path[index]).as("index %d is taken once", index).isNull();
      assertThat(Hilbert.leadingBits(words, 64) >>> (64 - columns * bits)).isEqualTo(index);
      path[index] = words;
    }
    assertThat(path[0]).as("the curve starts at the origin").containsOnly(0L);
    for (int index = 1; index < cells; index++) {
      assertThat(distance(path[index - 1], path[index]))
          .as("steps between index %d and the next", index - 1)
          .isEqualTo(BigInteger.TWO.pow(64 - bits));
    }
  }

  @Test
  void neighboursOnTheCurveAreNeighboursAcrossZero() {
    byte[][] path = new byte[256][];
    for (int x = -8; x < 8; x++) {
      for (int y = -8; y < 8; y++) {
        long[] words = {Words.ofByte((byte) (x << 4)), Words.ofByte((byte) (y << 4))};
        path[(int) (Hilbert.leadingBits(words, 64) >>> 56)] = new byte[] {(byte) x, (byte) y};
      }
    }
    assertThat(path[0]).containsExactly(-8, -8);
    for (int index = 1; index < path.length; index++) {
      int steps =
          Math.abs(path[index][0] - path[index - 1][0])
              + Math.abs(path[index][1] - path[index - 1][1]);
      assertThat(steps).as("steps between index %d and the next", index - 1).isOne();
    }
  }

  @ParameterizedTest
  @MethodSource("everyNumberOfColumns")
  void keysOfWholeWordsHaveAnInverseAndNextKeysAreNeighbours(int columns) {
    Random random = new Random(SEED + columns);
    for (int row = 0; row < 5; row++) {
      long[] words = random.longs(columns).toArray();
      byte[] key = Hilbert.key(words);
      assertThat(wordsOf(key)).as("seed %d, %d columns", SEED, columns).isEqualTo(words);
      BigInteger next = new BigInteger(1, key).add(BigInteger.ONE);
      if (next.bitLength() <= 64 * columns) {
        assertThat(distance(words, wordsOf(bytes(next, columns))))
            .as("seed %d, %d columns: steps to the next key", SEED, columns)
            .isEqualTo(BigInteger.ONE);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("everyNumberOfColumns")
  void leadingBitsLeadTheKeyAndTheWordsStayUnchanged(int columns) {
    Random random = new Random(SEED - columns);
    for (int row = 0; row < 20; row++) {
      long[] words = random.longs(columns).toArray();
      long[] before = words.clone();
      assertThat(Hex.of(Hilbert.leadingBits(words, 64)))
          .as("seed %d, %d columns", SEED, columns)
          .isEqualTo(Hex.of(Hilbert.key(words)).substring(0, 16));
      int bits = 1 + random.nextInt(64);
      assertThat(Hilbert.leadingBits(words, bits) >>> (64 - bits))
          .as("seed %d, %d columns, %d bits", SEED, columns, bits)
          .isEqualTo(Hilbert.leadingBits(words, 64) >>> (64 - bits));
      assertThat(words).isEqualTo(before);
    }
  }

  @Test
  void oneColumnKeepsItsOrder() {
    long[] words = {0x0123_4567_89AB_CDEFL};
    assertThat(Hilbert.key(words)).isEqualTo(ZValue.interleave(words));
    assertThat(Hilbert.leadingBits(words, 64)).isEqualTo(words[0]);
  }

  /** The inverse, as Skilling printed it (TransposetoAxes), loop by loop. */
  private static long[] wordsOf(byte[] key) {
    long[] x = ZValue.deinterleave(key);
    int n = x.length;
    long t = x[n - 1] >>> 1;
    for (int i = n - 1; i > 0; i--) {
      x[i] ^= x[i - 1];
    }
    x[0] ^= t;
    for (long q = 2; q != 0; q <<= 1) {
      long p = q - 1;
      for (int i = n - 1; i >= 0; i--) {
        if ((x[i] & q) != 0) {
          x[0] ^= p;
        } else {
          t = (x[0] ^ x[i]) & p;
          x[0] ^= t;
          x[i] ^= t;
        }
      }
    }
    return x;
  }

  /** Steps from one cell to another along the axes. */
  private static BigInteger distance(long[] from, long[] to) {
    BigInteger distance = BigInteger.ZERO;
    for (int column = 0; column < from.length; column++) {
      distance = distance.add(unsigned(from[column]).subtract(unsigned(to[column])).abs());
    }
    return distance;
  }

  private static BigInteger unsigned(long word) {
    return new BigInteger(Long.toUnsignedString(word));
  }

  private static byte[] bytes(BigInteger key, int columns) {
    byte[] bytes = new byte[8 * columns];
    byte[] magnitude = key.toByteArray();
    int length = Math.min(magnitude.length, bytes.length);
    System.arraycopy(magnitude, magnitude.length - length, bytes, bytes.length - length, length);
    return bytes;
  }
}
