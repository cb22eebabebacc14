package io.hudizorder.key;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The ranges of the curve that cover a box: disjoint, not even adjacent, in ascending order.
 *
 * <p>Between two ranges lies a gap, z-values that are not in the box, and each gap comes from one
 * {@link ZCut}. The best cover of so many ranges leaves out the widest gaps. These are found best
 * first: a part of the box is cut only when it holds the widest gap of those still unknown, so that
 * the gaps that are not wanted are never listed, however many a large box has.
 */
public final class ZRanges {

  /** Most ranges of an exact cover. */
  private static final int MAX_EXACT = 1_000_000;

  private final int columns;
  private final PriorityQueue<Candidate> queue = new PriorityQueue<>(Candidate.WIDEST_FIRST);
  private final List<ZCut> gaps = new ArrayList<>();
  private long candidates;

  private ZRanges(ZBox box, int mostGaps) {
    this.columns = box.columns();
    addPart(box);
    while (gaps.size() < mostGaps && !queue.isEmpty()) {
      Candidate widest = queue.remove();
      if (widest.isGap) {
        gaps.add(widest.cut);
      } else {
        // Of equals the last is taken first: the search goes down to a gap, then from left to
        // right.
        addPart(widest.cut.right());
        addPart(widest.cut.left());
        addGap(widest.cut);
      }
    }
  }

  /**
   * The ranges that hold the z-values of the box and no other.
   *
   * @throws IllegalArgumentException if there are more than a million
   */
  public static List<ZRange> exact(ZBox box) {
    return exact(box, MAX_EXACT);
  }

  static List<ZRange> exact(ZBox box, int most) {
    ZRanges found = new ZRanges(box, most - 1);
    if (!found.queue.isEmpty()) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot list the z-ranges of a box: there are more than %d; "
                  + "say how many ranges may cover it",
              most));
    }
    return found.ranges(box);
  }

  /**
   * Of all covers by at most so many ranges one with the fewest z-values outside the box; the exact
   * one, if that is no more.
   *
   * @param ranges at least 1
   */
  public static List<ZRange> atMost(ZBox box, int ranges) {
    if (ranges < 1) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot cover a box: it takes at least one range, 'ranges' was '%d'; allow more",
              ranges));
    }
    return new ZRanges(box, ranges - 1).ranges(box);
  }

  /** The first and the last z-value of each range, one after another. */
  public static byte[] bytes(List<ZRange> ranges) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (ZRange range : ranges) {
      bytes.writeBytes(range.first());
      bytes.writeBytes(range.last());
    }
    return bytes.toByteArray();
  }

  private List<ZRange> ranges(ZBox box) {
    List<ZRange> ranges = new ArrayList<>(gaps.size() + 1);
    byte[] first = box.first();
    gaps.sort(Comparator.comparing(ZCut::litmax, ZValue::compare));
    for (ZCut gap : gaps) {
      ranges.add(new ZRange(first, gap.litmax()));
      first = gap.bigmin();
    }
    ranges.add(new ZRange(first, box.last()));
    return ranges;
  }

  private void addPart(ZBox part) {
    ZCut cut = ZCut.of(part);
    if (cut != null) {
      add(cut, cut.widestGap(), false);
    }
  }

  private void addGap(ZCut cut) {
    add(cut, cut.gap(), true);
  }

  private void add(ZCut cut, byte[] width, boolean isGap) {
    if (ZValue.compare(width, new byte[columns * Long.BYTES]) > 0) {
      queue.add(new Candidate(cut, width, isGap, candidates++));
    }
  }

  /** A gap, or a part of the box by the widest gap in it. */
  private static final class Candidate {

    static final Comparator<Candidate> WIDEST_FIRST =
        Comparator.<Candidate, byte[]>comparing(c -> c.width, ZValue::compare)
            .thenComparingLong(c -> c.number)
            .reversed();

    private final ZCut cut;
    private final byte[] width;
    private final boolean isGap;
    private final long number;

    private Candidate(ZCut cut, byte[] width, boolean isGap, long number) {
      this.cut = cut;
      this.width = width;
      this.isGap = isGap;
      this.number = number;
    }
  }
}
