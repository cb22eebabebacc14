package io.hudizorder.layout.rank;

import java.util.stream.IntStream;

/** The order of unsigned words: a radix sort by 16 bits at a time, least significant first. */
public final class RadixOrder {
  private static final int DIGIT_BITS = 16;
  private static final int DIGITS = 1 << DIGIT_BITS;

  private RadixOrder() {}

  /** The positions of words in ascending order of the words, nulls first. */
  public static int[] of(long[] words) {
    int[] order = IntStream.range(0, words.length).toArray();
    for (int shift = 0; shift < Long.SIZE; shift += DIGIT_BITS) {
      order = sortByDigit(words, order, shift);
    }
    return order;
  }

  private static int[] sortByDigit(long[] words, int[] order, int shift) {
    int[] ends = new int[DIGITS];
    for (long word : words) {
      ends[digit(word, shift)]++;
    }
    if (words.length == 0 || ends[digit(words[0], shift)] == words.length) {
      return order;
    }
    for (int digit = 1; digit < DIGITS; digit++) {
      ends[digit] += ends[digit - 1];
    }
    int[] sorted = new int[order.length];
    for (int i = order.length - 1; i >= 0; i--) {
      sorted[--ends[digit(words[order[i]], shift)]] = order[i];
    }
    return sorted;
  }

  private static int digit(long word, int shift) {
    return (int) (word >>> shift) & (DIGITS - 1);
  }
}
