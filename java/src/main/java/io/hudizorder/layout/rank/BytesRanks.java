package io.hudizorder.layout.rank;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;

/**
 * Ranked words of a column of byte strings: text in UTF-8, binary, wide decimals.
 *
 * <p>Values compare as unsigned bytes, a string before its extensions. Common prefixes cost
 * nothing: the one that all boundaries share is compared once, and a bucket takes a value's own
 * bits after the prefix of its two bounds. Values that agree in the 8 bytes after it share a word,
 * as do those that lack the prefix of all boundaries, on either side.
 */
public final class BytesRanks extends Ranks {
  private static final long serialVersionUID = 1L;

  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** The words of all values that lack the prefix of the boundaries, below them and above. */
  private static final long LEAST = 1;

  private static final long GREATEST = -1L;

  /** What all boundaries begin with. */
  private final byte[] prefix;

  /** The rest of all boundaries end to end, ascending. */
  private final byte[] rests;

  /** Where each rest starts, and the length of all at the end. */
  private final int[] starts;

  /** The first 8 bytes of each rest, sign bit flipped: most searches need no more. */
  private final long[] heads;

  /** How many leading bytes the two bounds of each bucket have in common. */
  private final int[] depths;

  private BytesRanks(byte[][] boundaries, int[] quantiles, int outOf) {
    super(quantiles, outOf);
    int count = boundaries.length;
    // A single boundary shows no prefix that other values would have as well.
    int shared = count < 2 ? 0 : commonPrefix(boundaries[0], boundaries[count - 1]);
    prefix = count < 2 ? new byte[0] : Arrays.copyOf(boundaries[0], shared);

    starts = new int[count + 1];
    heads = new long[count];
    for (int b = 0; b < count; b++) {
      starts[b + 1] = Math.addExact(starts[b], boundaries[b].length - shared);
      heads[b] = SignedWords.flip(bits(boundaries[b], shared));
    }
    rests = new byte[starts[count]];
    for (int b = 0; b < count; b++) {
      System.arraycopy(boundaries[b], shared, rests, starts[b], starts[b + 1] - starts[b]);
    }

    depths = new int[count + 1];
    for (int bucket = 0; bucket <= count; bucket++) {
      byte[] low = bucket == 0 ? null : boundaries[bucket - 1];
      byte[] high = bucket == count ? null : boundaries[bucket];
      int depth = low == null || high == null ? shared : commonPrefix(low, high);
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
   * @throws ArithmeticException if what tells the boundaries apart does not fit in 2 GB
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
    byte[][] boundaries = new byte[outOf][];
    int[] quantiles = new int[outOf];
    int count = 0;
    byte[] last = null;
    for (int q = 0; q < outOf; q++) {
      int row = (int) ((long) q * rows / outOf) - nulls;
      if (row >= 0 && (last == null || !Arrays.equals(sorted[row], last))) {
        boundaries[count] = last == null ? sorted[row] : separator(last, sorted[row]);
        quantiles[count++] = q;
        last = sorted[row];
      }
    }
    return new BytesRanks(Arrays.copyOf(boundaries, count), Arrays.copyOf(quantiles, count), outOf);
  }

  /** The shortest string above one and up to another: suffix truncation (Bayer, Unterauer 1977). */
  private static byte[] separator(byte[] below, byte[] upTo) {
    return Arrays.copyOf(upTo, commonPrefix(below, upTo) + 1);
  }

  /**
   * The ranked word of a value.
   *
   * @param value any bytes, also none; or null
   */
  public long word(byte[] value) {
    if (value == null) {
      return 0;
    }
    int unlike =
        Arrays.mismatch(value, 0, Math.min(value.length, prefix.length), prefix, 0, prefix.length);
    if (unlike >= 0) {
      boolean below =
          unlike == value.length || Byte.compareUnsigned(value[unlike], prefix[unlike]) < 0;
      return below ? LEAST : GREATEST;
    }
    int bucket = boundariesUpTo(value);
    return wordIn(bucket, bits(value, depths[bucket]));
  }

  /** How many boundaries there are up to a value that has their prefix. */
  private int boundariesUpTo(byte[] value) {
    int from = prefix.length;
    long head = SignedWords.flip(bits(value, from));
    int high = SignedWords.countUpTo(heads, head);
    if (high == 0 || heads[high - 1] != head) {
      return high;
    }
    // Among boundaries with the same head, the whole bytes decide.
    int low = head == Long.MIN_VALUE ? 0 : SignedWords.countUpTo(heads, head - 1);
    while (low < high) {
      int middle = (low + high) >>> 1;
      int order =
          Arrays.compareUnsigned(
              rests, starts[middle], starts[middle + 1], value, from, value.length);
      if (order <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static int commonPrefix(byte[] a, byte[] b) {
    int mismatch = Arrays.mismatch(a, b);
    return mismatch < 0 ? a.length : mismatch;
  }

  /** The 8 bytes from a position on, big-endian, zeros after the end. */
  private static long bits(byte[] value, int from) {
    if (from <= value.length - Long.BYTES) {
      return (long) BIG_ENDIAN.get(value, from);
    }
    long bits = 0;
    for (int i = from; i < value.length; i++) {
      bits |= (value[i] & 0xFFL) << (Long.SIZE - Byte.SIZE * (i - from + 1));
    }
    return bits;
  }
}
