package io.hudizorder.key;

/**
 * Moves the leading bits of a word apart to every k-th position.
 *
 * <p>Bit j, counted from the top, moves right by j (k - 1). That distance is split into powers of
 * two, largest first: halves of the remaining groups move apart, then quarters, then eighths, with
 * one shift and one mask each ("interleave bits by binary magic numbers", S. E. Anderson, Bit
 * Twiddling Hacks, for any k instead of 2). Five steps suffice, as ceil(64 / k) is at most 32.
 */
interface BitSpread {

  /** The leading ceil(64 / k) bits of a word at bits 0, k, 2 k, ... counted from the top. */
  long spread(long word);

  /** The spread to every k-th bit, for a stride k from 2 to {@link ZValue#MAX_COLUMNS}. */
  static BitSpread of(int stride) {
    long unmoved = places(stride, 5);
    long places4 = places(stride, 4);
    long places3 = places(stride, 3);
    long places2 = places(stride, 2);
    long places1 = places(stride, 1);
    long places0 = places(stride, 0);
    int distance4 = distance(stride, 4);
    int distance3 = distance(stride, 3);
    int distance2 = distance(stride, 2);
    int distance1 = distance(stride, 1);
    int distance0 = distance(stride, 0);
    // Variables captured by a lambda in a static final field are constants to the JIT, unlike array
    // elements and instance fields: two columns take less than half the time.
    return word -> {
      long bits = word & unmoved;
      bits = (bits | bits >>> distance4) & places4;
      bits = (bits | bits >>> distance3) & places3;
      bits = (bits | bits >>> distance2) & places2;
      bits = (bits | bits >>> distance1) & places1;
      return (bits | bits >>> distance0) & places0;
    };
  }

  /** Where the bits are while the lowest {@code waiting} bits of their indices have not counted. */
  private static long places(int stride, int waiting) {
    long places = 0L;
    for (int j = 0; j < bits(stride); j++) {
      int counted = j & -1 << waiting;
      places |= Long.MIN_VALUE >>> (j + counted * (stride - 1));
    }
    return places;
  }

  /** How far bits move whose index has this bit set; 0 where no index is that large. */
  private static int distance(int stride, int indexBit) {
    int step = 1 << indexBit;
    return step < bits(stride) ? step * (stride - 1) : 0;
  }

  private static int bits(int stride) {
    return (64 + stride - 1) / stride;
  }
}
