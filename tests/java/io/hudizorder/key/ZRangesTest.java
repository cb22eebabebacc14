package io.hudizorder.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZRangesTest {

  /** 2 <= x <= 3 and 2 <= y <= 6, y leading. */
  private static final ZBox DELTA_ARTICLE = ZBox.of(new long[] {2, 2}, new long[] {6, 3});

  @Test
  void exampleOfTheDeltaArticle() {
    assertThat(texts(ZRanges.exact(DELTA_ARTICLE))).containsExactly("12-15", "36-39", "44-45");
    assertThat(texts(ZRanges.atMost(DELTA_ARTICLE, 3))).containsExactly("12-15", "36-39", "44-45");
    assertThat(texts(ZRanges.atMost(DELTA_ARTICLE, 2))).containsExactly("12-15", "36-45");
    assertThat(texts(ZRanges.atMost(DELTA_ARTICLE, 1))).containsExactly("12-45");
  }

  @ParameterizedTest
  @CsvSource({"1, 16", "2, 8", "3, 4", "4, 3"})
  void everyBoxOfASmallGridIsCoveredExactlyAndBest(int columns, int values) {
    ZBoxes.forEachBox(columns, values, ZRangesTest::assertCovered);
  }

  @Property(tries = 200, seed = "1")
  void smallBoxesAnywhereAreCoveredExactlyAndBest(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 5) int columns) {
    int width = new int[] {0, 300, 17, 7, 5, 4}[columns];
    assertCovered(ZBoxes.small(new Random(seed), columns, width));
  }

  /** Compares with the list of all rows: the ranges, and what covers by fewer ranges waste. */
  private static void assertCovered(ZBox box) {
    List<BigInteger> rows = ZBoxes.rows(box);
    List<BigInteger> gaps = new ArrayList<>();
    List<String> ranges = new ArrayList<>();
    int first = 0;
    for (int i = 1; i <= rows.size(); i++) {
      if (i == rows.size() || !rows.get(i).equals(rows.get(i - 1).add(BigInteger.ONE))) {
        ranges.add(rows.get(first) + "-" + rows.get(i - 1));
        first = i;
        if (i < rows.size()) {
          gaps.add(rows.get(i).subtract(rows.get(i - 1)).subtract(BigInteger.ONE));
        }
      }
    }
    assertThat(texts(ZRanges.exact(box))).isEqualTo(ranges);
    gaps.sort(Comparator.naturalOrder());
    BigInteger wasted = BigInteger.ZERO;
    for (int most = ranges.size() + 1; most >= 1; most--) {
      if (most < ranges.size()) {
        // The best cover gives up its least gap.
        wasted = wasted.add(gaps.get(ranges.size() - 1 - most));
      }
      if (most <= 4 || most >= ranges.size() - 2) {
        List<ZRange> cover = ZRanges.atMost(box, most);
        assertThat(cover).hasSize(Math.min(most, ranges.size()));
        assertThat(size(cover)).isEqualTo(BigInteger.valueOf(rows.size()).add(wasted));
        assertAscendingFromRowToRow(box, cover);
      }
    }
  }

  @Property(tries = 200, seed = "1")
  void rangesHoldTheRowsOfAnyBoxAndGapsHoldNone(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 128) int columns) {
    Random random = new Random(seed);
    ZBox box = ZBoxes.random(random, columns);
    List<ZRange> cover = ZRanges.atMost(box, 8);
    assertAscendingFromRowToRow(box, cover);
    assertThat(cover.get(0).first()).isEqualTo(box.first());
    assertThat(cover.get(cover.size() - 1).last()).isEqualTo(box.last());
    for (int i = 0; i < 20; i++) {
      byte[] row = ZBoxes.row(random, box);
      assertThat(cover).anyMatch(range -> holds(range, row));
    }
    for (int i = 1; i < cover.size(); i++) {
      // No row between: the curve's next row behind a range is where the next range begins.
      byte[] next = box.bigmin(cover.get(i - 1).last()).orElseThrow();
      assertThat(next).isEqualTo(cover.get(i).first());
    }
  }

  /** Parts of equal widest gaps without end are where a search by looser bounds would get lost. */
  @ParameterizedTest
  @CsvSource({"2, 100", "3, 100", "8, 100", "128, 2"})
  void aFewRangesOfAnImmenseBoxAreFoundAtOnce(int columns, int most) {
    long[] quarter = ZBoxes.words(columns, 1L << 62);
    long[] threeQuarters = ZBoxes.words(columns, 3L << 62 | -1L >>> 2);
    long[] slabLow = ZBoxes.words(columns, 0);
    long[] slabHigh = ZBoxes.words(columns, -1L);
    slabLow[columns - 1] = 1L << 62;
    slabHigh[columns - 1] = 1L << 62 | 12345;
    Random random = new Random(columns);
    List<ZBox> boxes =
        List.of(
            ZBox.of(quarter, threeQuarters),
            ZBox.of(quarter, ZBoxes.words(columns, 0xBFFFFFFFFFFFFFFFL)),
            ZBox.of(slabLow, slabHigh),
            ZBoxes.of(columns, 1, -2L),
            ZBoxes.of(columns, 1, -1L),
            ZBoxes.of(columns, Long.MAX_VALUE, Long.MIN_VALUE),
            ZBoxes.random(random, columns),
            ZBoxes.random(random, columns));
    for (ZBox box : boxes) {
      List<ZRange> cover =
          assertTimeoutPreemptively(
              Duration.ofSeconds(20), () -> ZRanges.atMost(box, most), () -> columns + " columns");
      assertThat(cover).hasSizeBetween(2, most);
      assertAscendingFromRowToRow(box, cover);
    }
  }

  @Test
  void aWholeSpaceIsOneRange() {
    assertThat(ZRanges.exact(ZBoxes.of(128, 0, -1L))).hasSize(1);
  }

  @Test
  void moreRangesThanCanBeListedAreRefused() {
    ZBox box = ZBoxes.of(2, 1, 1L << 40);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ZRanges.exact(box, 1000))
        .withMessageContaining("there are more than 1000; say how many ranges may cover it");
    assertThat(ZRanges.atMost(box, 5)).hasSize(5);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ZRanges.atMost(box, 0))
        .withMessageContaining("'ranges' was '0'");
  }

  /** Each range begins and ends with a row, and the next lies behind it, with a gap between. */
  private static void assertAscendingFromRowToRow(ZBox box, List<ZRange> ranges) {
    BigInteger before = BigInteger.valueOf(-2);
    for (ZRange range : ranges) {
      assertThat(ZBoxes.number(range.first()).subtract(before)).isGreaterThan(BigInteger.ONE);
      assertThat(ZValue.compare(range.first(), range.last())).isLessThanOrEqualTo(0);
      assertThat(ZBoxes.holds(box, range.first()) && ZBoxes.holds(box, range.last())).isTrue();
      before = ZBoxes.number(range.last());
    }
  }

  private static boolean holds(ZRange range, byte[] zValue) {
    return ZValue.compare(range.first(), zValue) <= 0 && ZValue.compare(zValue, range.last()) <= 0;
  }

  private static BigInteger size(List<ZRange> ranges) {
    BigInteger size = BigInteger.ZERO;
    for (ZRange range : ranges) {
      BigInteger length = ZBoxes.number(range.last()).subtract(ZBoxes.number(range.first()));
      size = size.add(length).add(BigInteger.ONE);
    }
    return size;
  }

  private static List<String> texts(List<ZRange> ranges) {
    List<String> texts = new ArrayList<>();
    for (ZRange range : ranges) {
      texts.add(ZBoxes.number(range.first()) + "-" + ZBoxes.number(range.last()));
    }
    return texts;
  }
}
