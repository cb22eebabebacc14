package io.hudizorder.layout;

import io.hudizorder.layout.rank.RadixOrder;
import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.layout.tree.FileCuts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A curve cut into files at equal counts of sampled rows: what every other system does, and what
 * the {@link io.hudizorder.layout.tree.SplitTree} is measured against.
 */
public final class EqualCuts implements FileCuts {
  private static final long serialVersionUID = 1L;

  private final Curve curve;

  /**
   * How many leading columns lie on the curve; the others only tell apart rows at one place of it.
   */
  private final int onCurve;

  /** The least row of every file but the first, ascending, as the curve compares it. */
  private final long[][] cuts;

  private EqualCuts(Curve curve, int onCurve, long[][] cuts) {
    this.curve = curve;
    this.onCurve = onCurve;
    this.cuts = cuts;
  }

  /**
   * Cuts a curve through the sampled rows.
   *
   * @param sample words by column, then by row; the order of the rows does not matter
   * @param onCurve how many leading columns the curve runs through; the rest breaks ties
   * @param curve the order of the rows
   * @param files number of files wanted; equal rows are never cut apart, so that there may be fewer
   * @throws IllegalArgumentException without a column or a file, for columns of unequal length, or
   *     for a curve through none or too many of them
   */
  public static EqualCuts build(long[][] sample, int onCurve, Curve curve, int files) {
    int rows = WordTable.rows(sample);
    WordTable.checkFiles(files);
    if (onCurve < 1 || onCurve > sample.length) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot lay out rows: the curve was to run through %d of %d columns;"
                  + " lead it through at least one",
              onCurve, sample.length));
    }
    long[][] ascending = ascending(sample, rows, onCurve, curve);
    List<long[]> cuts = new ArrayList<>();
    long[] last = rows == 0 ? null : ascending[0];
    for (int file = 1; file < files && rows > 0; file++) {
      long[] cut = ascending[(int) ((long) file * rows / files)];
      if (!Arrays.equals(cut, last)) {
        cuts.add(cut);
        last = cut;
      }
    }
    return new EqualCuts(curve, onCurve, cuts.toArray(new long[0][]));
  }

  private static long[][] ascending(long[][] sample, int count, int onCurve, Curve curve) {
    long[][] rows = new long[count][];
    long[] leading = new long[count];
    for (int row = 0; row < count; row++) {
      long[] words = WordTable.row(sample, row);
      rows[row] = curve.comparable(words, onCurve);
      leading[row] = curve.leadingBits(Arrays.copyOf(words, onCurve), Long.SIZE);
    }
    // What is left to sort are rows that agree in their leading bits.
    long[][] ascending =
        Arrays.stream(RadixOrder.of(leading)).mapToObj(row -> rows[row]).toArray(long[][]::new);
    Arrays.sort(ascending, (a, b) -> compare(a, b, onCurve, curve));
    return ascending;
  }

  private static int compare(long[] a, long[] b, int onCurve, Curve curve) {
    int place = curve.compare(a, b, onCurve);
    return place != 0 ? place : Arrays.compareUnsigned(a, onCurve, a.length, b, onCurve, b.length);
  }

  @Override
  public int files() {
    return cuts.length + 1;
  }

  @Override
  public int fileOf(long[] words) {
    long[] row = curve.comparable(words, onCurve);
    int low = 0;
    int high = cuts.length;
    while (low < high) {
      int cut = (low + high) >>> 1;
      if (compare(row, cuts[cut], onCurve, curve) < 0) {
        high = cut;
      } else {
        low = cut + 1;
      }
    }
    return low;
  }
}
