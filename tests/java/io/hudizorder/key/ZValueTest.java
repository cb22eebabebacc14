package io.hudizorder.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ZValueTest {

  private static final long SEED = 20_261_101L;

  static IntStream everyNumberOfColumns() {
    return IntStream.rangeClosed(1, ZValue.MAX_COLUMNS);
  }

  @Test
  void exampleOfRfc28() {
    long y = 214L << 56;
    long x = 97L << 56;
    byte[] zValue = ZValue.interleave(new long[] {y, x});
    assertThat(bits(zValue).substring(0, 16)).isEqualTo("1011011000101001");
  }

  @Test
  void sizesAreThoseOfTheDesign() {
    assertThat(ZValue.interleave(new long[128])).hasSize(1024);
    assertThat(ZValue.interleave(new long[3])).hasSize(24);
  }

  @ParameterizedTest
  @MethodSource("everyNumberOfColumns")
  void interleavesAndBackLikeTheNaiveOracle(int columns) {
    Random random = new Random(SEED + columns);
    for (int row = 0; row < 30; row++) {
      long[] words = random.longs(columns).toArray();
      assertInterleaves(words);
    }
    long[] ones = new long[columns];
    Arrays.fill(ones, -1L);
    assertInterleaves(ones);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8, 9, 63, 64, 65, 127, 128})
  void everySingleBitLandsInItsPlace(int columns) {
    for (int column = 0; column < columns; column++) {
      for (int level = 0; level < 64; level++) {
        long[] words = new long[columns];
        words[column] = Long.MIN_VALUE >>> level;
        byte[] expected = new byte[8 * columns];
        int bit = level * columns + column;
        expected[bit / 8] = (byte) (0x80 >> bit % 8);
        assertThat(ZValue.interleave(words))
            .as("%d columns, level %d of column %d", columns, level, column)
            .isEqualTo(expected);
        assertThat(ZValue.deinterleave(expected)).isEqualTo(words);
      }
    }
  }

  @Test
  void theWordsGivenAreLeftUnchanged() {
    for (int columns = 1; columns <= ZValue.MAX_COLUMNS; columns++) {
      long[] words = new Random(SEED).longs(columns).toArray();
      long[] before = words.clone();
      ZValue.interleave(words);
      ZValue.leadingBits(words);
      assertThat(words).isEqualTo(before);
    }
  }

  @Test
  void comparesAsHBaseComparesRowKeys() {
    List<String> ascending =
        List.of("", "00", "0000", "0001", "01", "7f", "7fff", "80", "8000", "ff", "ff00", "ffff");
    for (int i = 0; i < ascending.size(); i++) {
      for (int j = 0; j < ascending.size(); j++) {
        int order = ZValue.compare(Hex.bytes(ascending.get(i)), Hex.bytes(ascending.get(j)));
        assertThat(Integer.signum(order))
            .as("order of %s and %s", ascending.get(i), ascending.get(j))
            .isEqualTo(Integer.compare(i, j));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 129})
  void numbersOfColumnsThatNoKeyHasAreRefused(int columns) {
    long[] words = new long[columns];
    String what = "Cannot build a key: it takes 1 to 128 columns, 'columns' was '" + columns + "'";
    List<Runnable> calls =
        List.of(
            () -> ZValue.interleave(words),
            () -> ZValue.leadingBits(words),
            () -> ZValue.deinterleave(new byte[8 * columns]),
            () -> ZValue.compareWords(words, words, words.length),
            () -> Hilbert.key(words),
            () -> Hilbert.transpose(words),
            () -> Hilbert.leadingBits(words, 64));
    for (Runnable call : calls) {
      assertThatIllegalArgumentException().isThrownBy(call::run).withMessageStartingWith(what);
    }
  }

  @Test
  void bytesThatAreNoZValueAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ZValue.deinterleave(new byte[15]))
        .withMessageContaining("8 bytes a column, 'length' was '15'");
  }

  @Test
  void rowsOfDifferentColumnsAreNotCompared() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ZValue.compareWords(new long[2], new long[3], 2))
        .withMessageContaining("'columns' was '2' and '3'");
  }

  private static void assertInterleaves(long[] words) {
    byte[] zValue = ZValue.interleave(words);
    assertThat(zValue).as("seed %d, %d columns", SEED, words.length).isEqualTo(naive(words));
    assertThat(ZValue.deinterleave(zValue))
        .as("seed %d, %d columns back", SEED, words.length)
        .isEqualTo(words);
    assertThat(Hex.of(ZValue.leadingBits(words)))
        .as("seed %d, %d columns, leading bits", SEED, words.length)
        .isEqualTo(Hex.of(zValue).substring(0, 16));
  }

  /** Bit by bit, as the z-value is defined. */
  private static byte[] naive(long[] words) {
    byte[] zValue = new byte[8 * words.length];
    int at = 0;
    for (int level = 63; level >= 0; level--) {
      for (long word : words) {
        if ((word >>> level & 1) == 1) {
          zValue[at / 8] |= (byte) (0x80 >> at % 8);
        }
        at++;
      }
    }
    return zValue;
  }

  private static String bits(byte[] bytes) {
    StringBuilder bits = new StringBuilder();
    for (byte b : bytes) {
      bits.append(Integer.toBinaryString(0x100 | b & 0xFF), 1, 9);
    }
    return bits.toString();
  }
}
