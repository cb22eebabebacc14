package io.hudizorder.layout;

/** Binary search in ascending numbers. */
final class Sorted {
  private Sorted() {}

  /** How many of the numbers are at most a given one. */
  static int countUpTo(long[] ascending, long number) {
    int counted = 0;
    int left = ascending.length;
    // One conditional move a step and no branch to mispredict: the loop's length does not vary.
    while (left > 0) {
      int half = (left + 1) >>> 1;
      counted += ascending[counted + half - 1] <= number ? half : 0;
      left -= half;
    }
    return counted;
  }
}
