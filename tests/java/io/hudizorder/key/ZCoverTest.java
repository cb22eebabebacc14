package io.hudizorder.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The cover of several boxes, against every z-value of a small grid. */
class ZCoverTest {

  private static final int SIDE = 8;

  @Test
  void aCoverHoldsEveryBoxInNoMoreRangesThanAllowed() {
    Random random = new Random(16);
    for (int trial = 0; trial < 200; trial++) {
      List<ZBox> boxes = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(4); i++) {
        boxes.add(box(random));
      }
      int most = 1 + random.nextInt(6);
      List<ZRange> cover = ZCover.atMost(boxes, most);
      assertThat(cover).hasSizeLessThanOrEqualTo(most);
      assertAscending(cover);
      for (byte[] zValue : grid()) {
        if (boxes.stream().anyMatch(box -> ZBoxes.holds(box, zValue))) {
          assertThat(isWithin(cover, zValue)).as("trial %d", trial).isTrue();
        }
      }
    }
  }

  @Test
  void aCoverOfEnoughRangesHoldsNothingElse() {
    Random random = new Random(17);
    for (int trial = 0; trial < 100; trial++) {
      List<ZBox> boxes = List.of(box(random), box(random), box(random));
      List<ZRange> cover = ZCover.atMost(boxes, SIDE * SIDE);
      assertAscending(cover);
      for (byte[] zValue : grid()) {
        assertThat(isWithin(cover, zValue))
            .as("trial %d", trial)
            .isEqualTo(boxes.stream().anyMatch(box -> ZBoxes.holds(box, zValue)));
      }
    }
  }

  @Test
  void aThousandBoxesOfSixColumnsAreCoveredWithinASecond() {
    Random random = new Random(18);
    List<ZBox> boxes = new ArrayList<>();
    for (int i = 0; i < 1_024; i++) {
      boxes.add(ZBoxes.small(random, 6, 1_000));
    }
    ZCover.atMost(boxes.subList(0, 64), 16); // the compiler's part
    long begun = System.nanoTime();
    List<ZRange> cover = ZCover.atMost(boxes, 16);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(1));
    assertAscending(cover);
    for (ZBox box : boxes) {
      assertThat(isWithin(cover, ZBoxes.row(random, box))).isTrue();
    }
  }

  private static void assertAscending(List<ZRange> cover) {
    for (int i = 1; i < cover.size(); i++) {
      assertThat(ZValue.compare(cover.get(i - 1).last(), cover.get(i).first())).isNegative();
    }
  }

  private static boolean isWithin(List<ZRange> cover, byte[] zValue) {
    return cover.stream()
        .anyMatch(
            range ->
                ZValue.compare(range.first(), zValue) <= 0
                    && ZValue.compare(zValue, range.last()) <= 0);
  }

  private static ZBox box(Random random) {
    long[] low = new long[2];
    long[] high = new long[2];
    for (int column = 0; column < 2; column++) {
      low[column] = random.nextInt(SIDE);
      high[column] = low[column] + random.nextInt(SIDE - (int) low[column]);
    }
    return ZBox.of(low, high);
  }

  private static List<byte[]> grid() {
    List<byte[]> all = new ArrayList<>();
    for (long a = 0; a < SIDE; a++) {
      for (long b = 0; b < SIDE; b++) {
        all.add(ZValue.interleave(new long[] {a, b}));
      }
    }
    return all;
  }
}
