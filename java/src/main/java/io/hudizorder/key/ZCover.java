package io.hudizorder.key;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The ranges of the curve that cover several boxes of the same columns, which may overlap. */
public final class ZCover {

  /** Of many boxes each has fewer ranges than asked for, as in the end most would be joined. */
  private static final int MOST_RANGES = 16_384;

  private ZCover() {}

  /**
   * A cover by at most so many ranges, in ascending order and disjoint: of each box the best cover
   * of so many, or of fewer where there are many boxes, and of them all the narrowest gaps closed.
   *
   * @param ranges at least 1
   */
  public static List<ZRange> atMost(List<ZBox> boxes, int ranges) {
    int ofEach = Math.max(1, Math.min(ranges, MOST_RANGES / Math.max(1, boxes.size())));
    List<ZRange> all = new ArrayList<>();
    for (ZBox box : boxes) {
      all.addAll(ZRanges.atMost(box, ofEach));
    }
    all.sort(Comparator.comparing(ZRange::first, ZValue::compare));
    List<ZRange> cover = new ArrayList<>();
    for (ZRange next : all) {
      ZRange last = cover.isEmpty() ? null : cover.get(cover.size() - 1);
      if (last != null && gap(last, next).signum() < 0) {
        cover.set(cover.size() - 1, joined(last, next));
      } else {
        cover.add(next);
      }
    }
    return cover.size() <= ranges ? cover : withWidestGaps(cover, ranges - 1);
  }

  /** Closing a gap changes no other, so that the widest are those that stay. */
  private static List<ZRange> withWidestGaps(List<ZRange> cover, int most) {
    BigInteger[] gaps = new BigInteger[cover.size() - 1];
    Arrays.setAll(gaps, i -> gap(cover.get(i), cover.get(i + 1)));
    List<Integer> open =
        IntStream.range(0, gaps.length)
            .boxed()
            .sorted(Comparator.comparing((Integer i) -> gaps[i]).reversed())
            .limit(most)
            .sorted()
            .collect(Collectors.toList());
    List<ZRange> wider = new ArrayList<>();
    int first = 0;
    for (int gap : open) {
      wider.add(joined(cover.get(first), cover.get(gap)));
      first = gap + 1;
    }
    wider.add(joined(cover.get(first), cover.get(cover.size() - 1)));
    return wider;
  }

  /** Z-values between the ranges; negative if there are none, adjacent ones included. */
  private static BigInteger gap(ZRange left, ZRange right) {
    return new BigInteger(1, right.first())
        .subtract(new BigInteger(1, left.last()))
        .subtract(BigInteger.TWO);
  }

  private static ZRange joined(ZRange left, ZRange right) {
    boolean beyond = ZValue.compare(right.last(), left.last()) > 0;
    return new ZRange(left.first(), beyond ? right.last() : left.last());
  }
}
