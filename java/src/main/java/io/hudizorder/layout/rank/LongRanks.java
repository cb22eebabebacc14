package io.hudizorder.layout.rank;

import java.util.Arrays;

/**
 * Ranked words of a column whose direct words tell its values apart: numbers, dates, timestamps.
 */
public final class LongRanks extends Ranks {
  private static final long serialVersionUID = 1L;

  private static final long NULL = 0;

  /** Ascending direct words, their sign bit flipped so that signed comparison orders them. */
  private final long[] boundaries;

  private LongRanks(long[] boundaries, int[] quantiles, int outOf) {
    super(quantiles, outOf);
    this.boundaries = boundaries;
    long low = NULL;
    for (int b = 0; b < boundaries.length; b++) {
      long next = SignedWords.flip(boundaries[b]);
      bound(b, low, next - 1);
      low = next;
    }
    bound(boundaries.length, low, -1L);
  }

  /**
   * Learns the ranks of a column.
   *
   * @param sampleWords direct words of sampled rows in any order, unsigned, 0 for null
   * @param maxBoundaries how many values to remember at most; more than 65,535 is taken as 65,535
   * @throws IllegalArgumentException if no boundary is allowed
   */
  public static LongRanks of(long[] sampleWords, int maxBoundaries) {
    int rows = sampleWords.length;
    long[] sorted = new long[rows];
    for (int row = 0; row < rows; row++) {
      sorted[row] = SignedWords.flip(sampleWords[row]);
    }
    Arrays.sort(sorted);

    int outOf = quantiles(rows, maxBoundaries);
    long[] boundaries = new long[outOf];
    int[] quantiles = new int[outOf];
    int count = 0;
    long last = SignedWords.flip(NULL);
    for (int q = 0; q < outOf; q++) {
      long value = sorted[(int) ((long) q * rows / outOf)];
      if (value != last) {
        boundaries[count] = value;
        quantiles[count++] = q;
        last = value;
      }
    }
    return new LongRanks(Arrays.copyOf(boundaries, count), Arrays.copyOf(quantiles, count), outOf);
  }

  /**
   * The ranked word of a value.
   *
   * @param directWord its direct word, unsigned, 0 for null
   */
  public long word(long directWord) {
    if (directWord == NULL) {
      return NULL;
    }
    return wordIn(SignedWords.countUpTo(boundaries, SignedWords.flip(directWord)), directWord);
  }
}
