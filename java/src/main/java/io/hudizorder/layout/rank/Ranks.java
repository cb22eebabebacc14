package io.hudizorder.layout.rank;

import java.io.Serializable;

/**
 * The ranked words of one column: a rank-space mapping by the quantiles of a sample.
 *
 * <p>Boundaries learnt from the sample divide the values of the column into buckets. Each bucket
 * owns a run of the 65,536 slots that the top 16 bits of a word number; the value's own leading
 * bits, measured from the bucket's lower bound, spread over that run. A boundary's slot is its
 * quantile, so that equal parts of the word space hold equally many rows whatever the values look
 * like; a heavy value, and null, take up their share of it.
 *
 * <p>Order never inverts, for any value, sampled or not: a greater value has an equal or greater
 * word, unsigned. The word 0 is null alone.
 */
public abstract class Ranks implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final int SLOT_BITS = 16;
  private static final int SLOTS = 1 << SLOT_BITS;

  /** First slot of each bucket and SLOTS at the end; bucket 0 lies below the least boundary. */
  private final int[] slots;

  /** The own bits of each bucket's lower bound. */
  private final long[] lows;

  /** How far to the left a distance from the lower bound goes to fill 64 bits. */
  private final byte[] shifts;

  /**
   * Buckets around boundaries that were met at these quantiles, their bounds still to be stated.
   *
   * @param quantiles ascending, distinct, in {@code [0, outOf)}
   * @param outOf at most {@link #quantiles}
   */
  Ranks(int[] quantiles, int outOf) {
    int buckets = quantiles.length + 1;
    slots = new int[buckets + 1];
    for (int b = 1; b < buckets; b++) {
      // Slot 0 stays free for values below everything sampled.
      slots[b] = 1 + (int) ((long) quantiles[b - 1] * (SLOTS - 1) / outOf);
    }
    slots[buckets] = SLOTS;
    lows = new long[buckets];
    shifts = new byte[buckets];
  }

  /** How many quantiles to take of a sample. */
  static int quantiles(int rows, int maxBoundaries) {
    if (maxBoundaries < 1) {
      throw new IllegalArgumentException(
          "Cannot rank values: 'maxBoundaries' was '" + maxBoundaries + "'; allow at least 1");
    }
    return Math.min(rows, Math.min(maxBoundaries, SLOTS - 1));
  }

  /** States between which own bits, unsigned and inclusive, the values of a bucket lie. */
  final void bound(int bucket, long low, long high) {
    lows[bucket] = low;
    // Where low = high the only distance is 0, and any shift will do.
    shifts[bucket] = (byte) Long.numberOfLeadingZeros((high - low) | 1);
  }

  /** The word of a value, from its bucket and its own bits. */
  final long wordIn(int bucket, long bits) {
    long first = (long) slots[bucket] << (Long.SIZE - SLOT_BITS);
    long fraction = (bits - lows[bucket]) << shifts[bucket] >>> SLOT_BITS;
    long word = first + fraction * (slots[bucket + 1] - slots[bucket]);
    return word == 0 ? 1 : word;
  }
}
