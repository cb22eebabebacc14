package io.hudizorder.layout;

import java.util.Arrays;
import java.util.Objects;

/**
 * Ranked words of a column of byte strings: text in UTF-8, binary, wide decimals.
 *
 * <p>Values compare as unsigned bytes, a string before its extensions. Common prefixes cost
 * nothing: the one that all boundaries share is compared once, and a bucket takes a value's own
 * bits after the prefix of its two bounds. Values that agree in the 8 bytes after it share a word.
 */
public final class BytesRanks extends Ranks {
  private static final long serialVersionUID = 1L;

  /** All boundaries end to end, ascending. */
  private final byte[] boundaries;

  /** Where each boundary starts, and the length of all at the end. */
  private final int[] starts;

  /** How many leading bytes all boundaries have in common. */
  private final int prefix;

  /**
   * The 8 bytes of each boundary after the prefix, sign bit flipped: most searches need no more.
   */
  private final long[] heads;

  /** How many leading bytes the two bounds of each bucket have in common. */
  private final int[] depths;

  private BytesRanks(byte[][] values, int[] quantiles, int outOf) {
    super(quantiles, outOf);
    int count = values.length;
    starts = new int[count + 1];
    for (int b = 0; b < count; b++) {
      starts[b + 1] = Math.addExact(starts[b], values[b].length);
    }
    boundaries = new byte[starts[count]];
    for (int b = 0; b < count; b++) {
      System.arraycopy(values[b], 0, boundaries, starts[b], values[b].length);
    }
    prefix = count == 0 ? 0 : commonPrefix(values[0], values[count - 1]);
    heads = new long[count];
    depths = new int[count + 1];
    for (int b = 0; b < count; b++) {
      heads[b] = flip(bits(values[b], prefix));
    }
    for (int bucket = 0; bucket <= count; bucket++) {
      byte[] low = bucket == 0 ? null : values[bucket - 1];
      byte[] high = bucket == count ? null : values[bucket];
      int depth = low == null || high == null ? 0 : commonPrefix(low, high);
      depths[bucket] = depth;
      bound(bucket, low == null ? 0 : bits(low, depth), high == null ? -1L : bits(high, depth));
    }
  }

  /**
   * Learns the ranks of a column.
   *
   * @param sample values of sampled rows in any order, null for null; neither changed nor kept
   * @param maxBoundaries how many values to remember at most; more than 65,535 is taken as 65,535
   * @throws IllegalArgumentException if no boundary is allowed
   * @throws ArithmeticException if the boundaries do not fit in 2 GB
   */
  public static BytesRanks of(byte[][] sample, int maxBoundaries) {
    byte[][] sorted =
        Arrays.stream(sample)
            .filter(Objects::nonNull)
            .sorted(Arrays::compareUnsigned)
            .toArray(byte[][]::new);
    int rows = sample.length;
    int nulls = rows - sorted.length;

    int outOf = quantiles(rows, maxBoundaries);
    byte[][] values = new byte[outOf][];
    int[] quantiles = new int[outOf];
    int count = 0;
    for (int q = 0; q < outOf; q++) {
      int row = (int) ((long) q * rows / outOf) - nulls;
      if (row >= 0 && (count == 0 || !Arrays.equals(sorted[row], values[count - 1]))) {
        values[count] = sorted[row];
        quantiles[count++] = q;
      }
    }
    return new BytesRanks(Arrays.copyOf(values, count), Arrays.copyOf(quantiles, count), outOf);
  }

  /**
   * The ranked word of a value.
   *
   * @param valueOrNull any bytes, also none, or null
   */
  public long word(byte[] valueOrNull) {
    if (valueOrNull == null) {
      return 0;
    }
    int bucket = boundariesUpTo(valueOrNull);
    return wordIn(bucket, bits(valueOrNull, depths[bucket]));
  }

  private int boundariesUpTo(byte[] value) {
    int shared = Arrays.mismatch(value, 0, Math.min(value.length, prefix), boundaries, 0, prefix);
    if (shared >= 0) {
      boolean below =
          shared == value.length || Byte.compareUnsigned(value[shared], boundaries[shared]) < 0;
      return below ? 0 : heads.length;
    }
    long head = flip(bits(value, prefix));
    int low = 0;
    int high = heads.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (heads[middle] < head || (heads[middle] == head && compare(middle, value) <= 0)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private int compare(int boundary, byte[] value) {
    return Arrays.compareUnsigned(
        boundaries, starts[boundary], starts[boundary + 1], value, 0, value.length);
  }

  private static int commonPrefix(byte[] a, byte[] b) {
    int mismatch = Arrays.mismatch(a, b);
    return mismatch < 0 ? a.length : mismatch;
  }

  /** The 8 bytes from a position on, big-endian, zeros after the end. */
  private static long bits(byte[] value, int from) {
    long bits = 0;
    int to = Math.min(value.length, from + Long.BYTES);
    for (int i = from; i < to; i++) {
      bits |= (value[i] & 0xFFL) << (Long.SIZE - Byte.SIZE * (i - from + 1));
    }
    return bits;
  }

  private static long flip(long bits) {
    return bits ^ Long.MIN_VALUE;
  }
}
