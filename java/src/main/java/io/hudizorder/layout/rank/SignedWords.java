package io.hudizorder.layout.rank;

/** Binary search in ascending numbers, and words as such numbers. */
public final class SignedWords {
  private SignedWords() {}

  /** An unsigned word as the signed number with its place in the order; and back. */
  public static long flip(long word) {
    return word ^ Long.MIN_VALUE;
  }

  /** How many of the numbers are at most a given one. */
  public static int countUpTo(long[] ascending, long number) {
    return countUpTo(ascending, 0, ascending.length, number);
  }

  /** The same for those at the positions from one up to another. */
  public static int countUpTo(long[] ascending, int from, int to, long number) {
    int counted = 0;
    int left = to - from;
    // One conditional move a step and no branch to mispredict: the loop's length does not vary.
    while (left > 0) {
      int half = (left + 1) >>> 1;
      counted += ascending[from + counted + half - 1] <= number ? half : 0;
      left -= half;
    }
    return counted;
  }

  /** The same for the first so many of other numbers. */
  public static int countUpTo(int[] ascending, int length, int number) {
    int counted = 0;
    int left = length;
    while (left > 0) {
      int half = (left + 1) >>> 1;
      counted += ascending[counted + half - 1] <= number ? half : 0;
      left -= half;
    }
    return counted;
  }
}
