package io.hudizorder.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZBoxTest {

  @ParameterizedTest
  @CsvSource({"1, 16", "2, 8", "3, 4", "4, 3"})
  void everyBoxOfASmallGridIsSearchedFromEveryZValue(int columns, int values) {
    List<byte[]> grid = new ArrayList<>();
    for (BigInteger row : ZBoxes.rows(ZBoxes.of(columns, 0, values - 1))) {
      grid.add(ZBoxes.bytes(row, columns));
    }
    grid.add(ZValue.interleave(ZBoxes.words(columns, values)));
    grid.add(ZValue.interleave(ZBoxes.words(columns, -1L)));
    ZBoxes.forEachBox(columns, values, box -> assertSearched(box, grid));
  }

  /** The rows of the box before and behind a z-value, found by going through the z-values. */
  private static void assertSearched(ZBox box, List<byte[]> ascending) {
    byte[] below = null;
    for (byte[] zValue : ascending) {
      assertThat(box.litmax(zValue).orElse(null)).isEqualTo(below);
      below = ZBoxes.holds(box, zValue) ? zValue : below;
    }
    byte[] above = null;
    for (int i = ascending.size() - 1; i >= 0; i--) {
      byte[] zValue = ascending.get(i);
      assertThat(box.bigmin(zValue).orElse(null)).isEqualTo(above);
      above = ZBoxes.holds(box, zValue) ? zValue : above;
    }
  }

  @Property(tries = 150, seed = "1")
  void anyBoxIsSearchedAsByThePublishedLoop(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 128) int columns) {
    Random random = new Random(seed);
    ZBox box = random.nextBoolean() ? ZBoxes.random(random, columns) : nearlyFull(random, columns);
    for (byte[] zValue : places(random, box)) {
      assertThat(box.bigmin(zValue).orElse(null)).isEqualTo(publishedBigmin(box, zValue));
    }
  }

  @Property(tries = 300, seed = "1")
  void litmaxAndBigminAreEachOthersInverse(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 128) int columns) {
    Random random = new Random(seed);
    ZBox box = ZBoxes.random(random, columns);
    byte[] row = ZBoxes.row(random, box);
    assertThat(ZBoxes.holds(box, row)).isTrue();
    box.bigmin(row).ifPresent(next -> assertThat(box.litmax(next).orElseThrow()).isEqualTo(row));
    box.litmax(row).ifPresent(next -> assertThat(box.bigmin(next).orElseThrow()).isEqualTo(row));
    assertThat(box.bigmin(box.last())).isEmpty();
    assertThat(box.litmax(box.first())).isEmpty();
  }

  /** The table of Tropf and Herzog, as printed: bit by bit from the top. */
  private static byte[] publishedBigmin(ZBox box, byte[] zValue) {
    long[] row = ZValue.deinterleave(zValue);
    long[] min = box.low().clone();
    long[] max = box.high().clone();
    byte[] bigmin = null;
    for (int at = 0; at < 64 * row.length; at++) {
      int column = at % row.length;
      long bit = Long.MIN_VALUE >>> (at / row.length);
      long above = -bit << 1;
      boolean minHas = (min[column] & bit) != 0;
      boolean maxHas = (max[column] & bit) != 0;
      if ((row[column] & bit) == 0) {
        if (minHas) {
          return ZValue.interleave(min);
        }
        if (maxHas) {
          long[] loaded = min.clone();
          loaded[column] = min[column] & above | bit;
          bigmin = ZValue.interleave(loaded);
          max[column] = max[column] & above | (bit - 1);
        }
      } else if (!maxHas) {
        return bigmin;
      } else if (!minHas) {
        min[column] = min[column] & above | bit;
      }
    }
    return bigmin;
  }

  /** Z-values in the box, near its ends and anywhere. */
  private static List<byte[]> places(Random random, ZBox box) {
    byte[] anywhere = new byte[box.columns() * Long.BYTES];
    random.nextBytes(anywhere);
    byte[] near = box.first();
    near[random.nextInt(near.length)] ^= (byte) (1 << random.nextInt(8));
    byte[] nearRow = ZBoxes.row(random, box);
    nearRow[random.nextInt(nearRow.length)] ^= (byte) (1 << random.nextInt(8));
    return List.of(anywhere, near, nearRow, ZBoxes.row(random, box), box.first(), box.last());
  }

  /** A box that narrows few of its columns. */
  private static ZBox nearlyFull(Random random, int columns) {
    ZBox narrow = ZBoxes.random(random, columns);
    long[] low = new long[columns];
    long[] high = ZBoxes.words(columns, -1L);
    for (int i = 0; i < 2; i++) {
      int column = random.nextInt(columns);
      low[column] = narrow.low()[column];
      high[column] = narrow.high()[column];
    }
    return ZBox.of(low, high);
  }

  @Test
  void wordsAreReadFromBytesAsUnsigned() {
    ZBox box = ZBox.of(Hex.bytes("7fffffffffffffff"), Hex.bytes("8000000000000000"));
    assertThat(box.bigmin(box.first())).hasValue(box.last());
    assertThat(box.bigmin(box.last())).isEmpty();
  }

  @Test
  void aBoxThatIsNoneIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ZBox.of(new long[] {0, -1}, new long[] {0, 5}))
        .withMessageContaining("column 1 was '18446744073709551615' to '5'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ZBox.of(new long[129], new long[129]))
        .withMessageContaining("1 to 128 columns, 'columns' was '129'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ZBox.of(new long[2], new long[3]))
        .withMessageContaining("it has 2 columns, 'columns' was '3'");
  }

  @Test
  void aZValueOfOtherColumnsIsRefused() {
    ZBox box = ZBox.of(new long[2], new long[2]);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> box.bigmin(new byte[24]))
        .withMessageContaining("it has 2 columns, 'columns' was '3'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> box.litmax(new byte[15]))
        .withMessageContaining("8 bytes a column, 'length' was '15'");
  }
}
