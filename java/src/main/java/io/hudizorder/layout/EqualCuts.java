package io.hudizorder.layout;

import java.util.Arrays;

/**
 * A curve cut into files at equal counts of sampled rows: what every other system does, and what
 * the {@link SplitTree} is measured against.
 */
public final class EqualCuts implements FileCuts {
  private static final long serialVersionUID = 1L;

  private final Curve curve;

  /**
   * How many leading columns lie on the curve; the others only tell apart rows at one place of it.
   */
  private final int onCurve;

  /** The least key of every file but the first, end to end in ascending order. */
  private final byte[] cuts;

  private final int keyBytes;

  private EqualCuts(Curve curve, int onCurve, byte[] cuts, int keyBytes) {
    this.curve = curve;
    this.onCurve = onCurve;
    this.cuts = cuts;
    this.keyBytes = keyBytes;
  }

  /**
   * Cuts the curve through all columns of a sample.
   *
   * @see #build(long[][], int, Curve, int)
   */
  public static EqualCuts build(long[][] sample, Curve curve, int files) {
    return build(sample, sample.length, curve, files);
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
    byte[][] keys = new byte[rows][];
    for (int row = 0; row < rows; row++) {
      keys[row] = key(WordTable.row(sample, row), onCurve, curve);
    }
    Arrays.sort(keys, Arrays::compareUnsigned);

    int keyBytes = Long.BYTES * sample.length;
    byte[] cuts = new byte[Math.min(files - 1, rows) * keyBytes];
    int length = 0;
    byte[] last = rows == 0 ? null : keys[0];
    for (int file = 1; file < files && rows > 0; file++) {
      byte[] cut = keys[(int) ((long) file * rows / files)];
      if (!Arrays.equals(cut, last)) {
        System.arraycopy(cut, 0, cuts, length, keyBytes);
        length += keyBytes;
        last = cut;
      }
    }
    return new EqualCuts(curve, onCurve, Arrays.copyOf(cuts, length), keyBytes);
  }

  @Override
  public int files() {
    return cuts.length / keyBytes + 1;
  }

  @Override
  public int fileOf(long[] words) {
    byte[] key = key(words, onCurve, curve);
    int low = 0;
    int high = files() - 1;
    while (low < high) {
      int cut = (low + high) >>> 1;
      int from = cut * keyBytes;
      if (Arrays.compareUnsigned(key, 0, keyBytes, cuts, from, from + keyBytes) < 0) {
        high = cut;
      } else {
        low = cut + 1;
      }
    }
    return low;
  }

  private static byte[] key(long[] words, int onCurve, Curve curve) {
    if (onCurve == words.length) {
      return curve.key(words);
    }
    byte[] place = curve.key(Arrays.copyOf(words, onCurve));
    byte[] ties = Curve.LINEAR.key(Arrays.copyOfRange(words, onCurve, words.length));
    byte[] key = Arrays.copyOf(place, place.length + ties.length);
    System.arraycopy(ties, 0, key, place.length, ties.length);
    return key;
  }
}
