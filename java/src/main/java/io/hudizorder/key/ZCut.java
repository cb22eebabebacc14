package io.hudizorder.key;

import java.util.stream.IntStream;

/**
 * A box cut in two where the z-values of its rows first differ, and the gap of the curve between.
 *
 * <p>All z-values of one half come before all of the other. The prefix that they share is one that
 * the box straddles; each such prefix cuts a part of the box, and has one gap, which may be empty.
 */
final class ZCut {

  private final long[] low;
  private final long[] high;

  /** The bit of the z-value, from the top, that tells the halves apart. */
  private final int bit;

  private ZCut(long[] low, long[] high) {
    this.low = low;
    this.high = high;
    this.bit = IntStream.range(0, low.length).map(this::firstCut).min().orElseThrow();
  }

  /** The cut of a box; null if it is a single row. */
  static ZCut of(ZBox box) {
    ZCut cut = new ZCut(box.low(), box.high());
    return cut.bit == 64 * box.columns() ? null : cut;
  }

  /** The half with 0 at the bit. */
  ZBox left() {
    long[] cut = high.clone();
    cut[column()] = low[column()] | below();
    return new ZBox(low, cut);
  }

  /** The half with 1 at the bit. */
  ZBox right() {
    long[] cut = low.clone();
    cut[column()] = high[column()] & ~below();
    return new ZBox(cut, high);
  }

  /** The last z-value before the gap. */
  byte[] litmax() {
    return left().last();
  }

  /** The first z-value behind the gap. */
  byte[] bigmin() {
    return right().first();
  }

  /** How many z-values are in the gap, as a number of as many bytes. */
  byte[] gap() {
    return new Sides(right().low(), ZBox.complement(left().high())).sum();
  }

  /**
   * The width of the widest gap in the box, that of this cut or of one further down.
   *
   * <p>A gap is as wide as its right half's lowest words are above the least of their prefix, and
   * its left half's highest words are below the greatest: a sum over the columns, of which the cut
   * one adds nothing, as the gap begins and ends there. A column adds both until it is cut itself,
   * then at most one, for what it was cut to begins or ends with its prefix; and the less, the
   * further down. As columns are cut independently of each other, each may then add the greater. So
   * of the gaps by cuts of one column, one by its first cut is the widest; and no gap further down
   * is wider than what all columns add.
   */
  byte[] widestGap() {
    int columns = low.length;
    byte[] widest = new byte[columns * Long.BYTES];
    int[] firstCuts = IntStream.range(0, columns).map(this::firstCut).sorted().toArray();
    for (int cut : firstCuts) {
      if (cut == 64 * columns) {
        break;
      }
      Sides sides = new Sides(columns);
      for (int column = 0; column < columns; column++) {
        add(sides, column, cut);
      }
      if (ZValue.compare(sides.sum(), widest) <= 0) {
        break;
      }
      sides.remove(cut % columns);
      byte[] gap = sides.sum();
      widest = ZValue.compare(gap, widest) > 0 ? gap : widest;
    }
    return widest;
  }

  /** Adds what a column adds to gaps behind a bit. */
  private void add(Sides sides, int column, int behind) {
    int columns = low.length;
    int passed = behind / columns + (column <= behind % columns ? 1 : 0);
    long rest = passed == 64 ? 0 : -1L >>> passed;
    long aboveLeast = low[column] & rest;
    long belowGreatest = ~high[column] & rest;
    boolean uncut = behind < firstCut(column);
    boolean more = Long.compareUnsigned(aboveLeast, belowGreatest) > 0;
    sides.aboveLeast[column] = uncut || more ? aboveLeast : 0;
    sides.belowGreatest[column] = uncut || !more ? belowGreatest : 0;
  }

  /** The bit of the z-value at which a column is cut first; beyond all if never. */
  private int firstCut(int column) {
    int level = Long.numberOfLeadingZeros(low[column] ^ high[column]);
    return level == 64 ? 64 * low.length : level * low.length + column;
  }

  private int column() {
    return bit % low.length;
  }

  /** The bits of the column's word beneath the cut. */
  private long below() {
    return Long.MAX_VALUE >>> (bit / low.length);
  }

  /** The words of two z-values that are to be added as numbers. */
  private static final class Sides {

    private final long[] aboveLeast;
    private final long[] belowGreatest;

    private Sides(int columns) {
      this(new long[columns], new long[columns]);
    }

    private Sides(long[] aboveLeast, long[] belowGreatest) {
      this.aboveLeast = aboveLeast;
      this.belowGreatest = belowGreatest;
    }

    private void remove(int column) {
      aboveLeast[column] = 0;
      belowGreatest[column] = 0;
    }

    /** Without what is carried beyond the first bit. */
    private byte[] sum() {
      byte[] sum = ZValue.interleave(aboveLeast);
      byte[] added = ZValue.interleave(belowGreatest);
      int carry = 0;
      for (int i = sum.length - 1; i >= 0; i--) {
        carry += (sum[i] & 0xFF) + (added[i] & 0xFF);
        sum[i] = (byte) carry;
        carry >>>= 8;
      }
      return sum;
    }
  }
}
