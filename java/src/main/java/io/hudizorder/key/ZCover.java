package io.hudizorder.key;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The ranges of the curve that cover several boxes of the same columns, which may overlap. */
public final class ZCover {

  private ZCover() {}

  /**
   * A cover by at most so many ranges, in ascending order and disjoint: of each box the best cover
   * of so many, and of them all the narrowest gaps closed.
   *
   * @param ranges at least 1
   */
  public static List<ZRange> atMost(List<ZBox> boxes, int ranges) {
    List<ZRange> all = new ArrayList<>();
    for (ZBox box : boxes) {
      all.addAll(ZRanges.atMost(box, ranges));
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
    while (cover.size() > ranges) {
      int narrowest = narrowestGap(cover);
      cover.set(narrowest, joined(cover.get(narrowest), cover.remove(narrowest + 1)));
    }
    return cover;
  }

  private static int narrowestGap(List<ZRange> cover) {
    int narrowest = 0;
    BigInteger least = null;
    for (int i = 0; i + 1 < cover.size(); i++) {
      BigInteger gap = gap(cover.get(i), cover.get(i + 1));
      if (least == null || gap.compareTo(least) < 0) {
        least = gap;
        narrowest = i;
      }
    }
    return narrowest;
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
