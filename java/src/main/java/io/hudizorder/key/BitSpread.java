package io.hudizorder.key;

/**
 * Moves the leading bits of a word apart to every k-th position, and back.
 *
 * <p>Bit j, counted from the top, moves right by j (k - 1). That distance is split into powers of
 * two, largest first: halves of the remaining groups move apart, then quarters, then eighths, so
 * that the ceil(64 / k) bits which fit are in place after at most five steps of one shift and one
 * mask each ("interleave bits by binary magic numbers", S. E. Anderson, Bit Twiddling Hacks, for
 * any k instead of 2).
 */
final class BitSpread {

  private static final BitSpread[] BY_STRIDE = byStride();

  /**
   * {@code masks[s]} holds the places of the bits before step s, the last one their final places.
   */
  private final long[] masks;

  private final int[] shifts;

  /** The spread to every k-th bit, for k from 1 to {@link ZValue#MAX_COLUMNS}. */
  static BitSpread of(int stride) {
    return BY_STRIDE[stride];
  }

  private BitSpread(int stride) {
    int bits = (64 + stride - 1) / stride;
    int steps = stride == 1 ? 0 : 32 - Integer.numberOfLeadingZeros(bits - 1);
    masks = new long[steps + 1];
    shifts = new int[steps];
    for (int step = 0; step <= steps; step++) {
      // The low bits of j have not moved yet: they still select neighbours.
      int moved = -1 << (steps - step);
      for (int j = 0; j < bits; j++) {
        masks[step] |= Long.MIN_VALUE >>> (j + (j & moved) * (stride - 1));
      }
      if (step < steps) {
        shifts[step] = (1 << (steps - step - 1)) * (stride - 1);
      }
    }
  }

  /** The leading ceil(64 / k) bits of a word at bits 0, k, 2 k, ... counted from the top. */
  long spread(long word) {
    long bits = word & masks[0];
    for (int step = 0; step < shifts.length; step++) {
      bits = (bits | bits >>> shifts[step]) & masks[step + 1];
    }
    return bits;
  }

  /** The inverse of {@link #spread}: bits 0, k, 2 k, ... side by side at the top. */
  long gather(long spread) {
    long bits = spread & masks[shifts.length];
    for (int step = shifts.length - 1; step >= 0; step--) {
      bits = (bits | bits << shifts[step]) & masks[step];
    }
    return bits;
  }

  private static BitSpread[] byStride() {
    BitSpread[] spreads = new BitSpread[ZValue.MAX_COLUMNS + 1];
    for (int stride = 1; stride <= ZValue.MAX_COLUMNS; stride++) {
      spreads[stride] = new BitSpread(stride);
    }
    return spreads;
  }
}
