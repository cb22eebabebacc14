package io.hudizorder.spark.zcolumn;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.key.WordSet;
import io.hudizorder.key.ZRange;
import io.hudizorder.key.ZRanges;
import io.hudizorder.key.ZValue;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Sets of words and regions of boxes against sets of single words; and bounds as texts. */
class WordRegionTest {

  private static final int WORDS = 12;

  private static boolean holds(WordSet set, long word) {
    return set.ranges().stream()
        .anyMatch(
            range ->
                Long.compareUnsigned(range[0], word) <= 0
                    && Long.compareUnsigned(word, range[1]) <= 0);
  }

  private static WordSet random(Random random) {
    return WordSet.union(
        IntStream.range(0, WORDS).filter(word -> random.nextInt(3) == 0).mapToObj(WordSet::word));
  }

  @Test
  void setsAreThoseOfTheirWords() {
    Random random = new Random(3);
    for (int trial = 0; trial < 500; trial++) {
      WordSet a = random(random);
      WordSet b = random(random);
      WordSet wider = a.atMost(2);
      assertThat(wider.ranges().size()).isLessThanOrEqualTo(2);
      assertThat(wider.contains(a)).isTrue();
      for (long word = 0; word < WORDS; word++) {
        assertThat(holds(a.or(b), word)).isEqualTo(holds(a, word) || holds(b, word));
        assertThat(holds(a.and(b), word)).isEqualTo(holds(a, word) && holds(b, word));
      }
    }
  }

  @Test
  void theGreatestWordEndsItsRange() {
    WordSet high = WordSet.range(-3, -1);
    assertThat(high.or(WordSet.word(-1))).isEqualTo(high);
    assertThat(high.or(WordSet.word(5)).ranges()).hasSize(2);
    assertThat(WordSet.NULL.or(WordSet.VALUES)).isEqualTo(WordSet.ALL);
    assertThat(WordSet.range(5, 4).isEmpty()).isTrue();
  }

  @Test
  void regionsHoldTheirRowsHoweverManyBoxesTheyWouldTake() {
    Random random = new Random(5);
    WordRegion union = WordRegion.none(2);
    WordSet[][] boxes = new WordSet[100][];
    for (int i = 0; i < boxes.length; i++) {
      boxes[i] = new WordSet[] {random(random), random(random)};
      union = union.or(WordRegion.box(boxes[i]));
    }
    List<ZRange> ranges =
        union.zBoxes(4).stream()
            .flatMap(box -> ZRanges.exact(box).stream())
            .collect(Collectors.toList());
    for (long a = 0; a < WORDS; a++) {
      for (long b = 0; b < WORDS; b++) {
        byte[] zValue = ZValue.interleave(new long[] {a, b});
        long first = a;
        long second = b;
        if (Stream.of(boxes).anyMatch(box -> holds(box[0], first) && holds(box[1], second))) {
          assertThat(ranges.stream().anyMatch(range -> isWithin(range, zValue))).isTrue();
        }
      }
    }
  }

  @Test
  void aRegionOfManyBoxesIsDividedIntoNoMoreThanAQueryHasTimeFor() {
    WordSet[] sets = new WordSet[64];
    for (int i = 0; i < sets.length; i++) {
      long first = 100L * i;
      sets[i] = WordSet.union(LongStream.range(0, 16).mapToObj(j -> WordSet.word(first + 2 * j)));
    }
    WordRegion one = WordRegion.box(sets[0], WordSet.VALUES);
    assertThat(one.zBoxes(16)).hasSize(16);
    WordRegion all = Stream.of(sets).map(s -> WordRegion.box(s, s)).reduce(WordRegion::or).get();
    assertThat(all.zBoxes(16)).hasSizeBetween(64, 256);
  }

  private static boolean isWithin(ZRange range, byte[] zValue) {
    return ZValue.compare(range.first(), zValue) <= 0 && ZValue.compare(zValue, range.last()) <= 0;
  }

  @Test
  void regionsMeetInTheRowsOfBoth() {
    WordRegion a = WordRegion.column(2, 0, WordSet.range(3, 5));
    WordRegion b = WordRegion.column(2, 1, WordSet.range(2, 9));
    assertThat(a.and(b).zBoxes(4)).hasSize(1);
    assertThat(a.contains(a.and(b))).isTrue();
    assertThat(a.and(b).contains(a)).isFalse();
    assertThat(a.and(WordRegion.column(2, 0, WordSet.word(9))).isEmpty()).isTrue();
  }

  @Test
  void boundsAreReadBackFromTheirTexts() {
    WordBounds bounds = new WordBounds(3);
    assertThat(bounds.texts()).containsExactly("-", "-", "-");
    assertThat(bounds.region().isEmpty()).isTrue();
    bounds.add(ZValue.interleave(new long[] {5, 0, -1}));
    bounds.add(ZValue.interleave(new long[] {3, 0, 7}));
    assertThat(bounds.texts())
        .containsExactly(
            "0000000000000003-0000000000000005", "-+null", "0000000000000007-ffffffffffffffff");
    assertThat(WordBounds.parse(bounds.texts())).isEqualTo(bounds);
    WordBounds other = new WordBounds(3);
    other.add(ZValue.interleave(new long[] {9, 4, 8}));
    assertThat(bounds.union(other).texts())
        .containsExactly(
            "0000000000000003-0000000000000009",
            "0000000000000004-0000000000000004+null",
            "0000000000000007-ffffffffffffffff");
  }
}
