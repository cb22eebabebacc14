package io.hudizorder.layout.rank;

/** Quickselect (Hoare 1961) on ints. */
public final class QuickSelect {
  private QuickSelect() {}

  /**
   * The number that sorting a range would put at a position. Reorders the range so that lesser
   * numbers precede the position and greater ones follow.
   */
  public static int select(int[] numbers, int from, int to, int position) {
    int low = from;
    int high = to - 1;
    while (low < high) {
      int pivot = medianOfThree(numbers[low], numbers[(low + high) >>> 1], numbers[high]);
      int i = low;
      int j = high;
      while (i <= j) {
        while (numbers[i] < pivot) {
          i++;
        }
        while (numbers[j] > pivot) {
          j--;
        }
        if (i <= j) {
          int number = numbers[i];
          numbers[i++] = numbers[j];
          numbers[j--] = number;
        }
      }
      if (position <= j) {
        high = j;
      } else if (position >= i) {
        low = i;
      } else {
        return pivot;
      }
    }
    return numbers[position];
  }

  private static int medianOfThree(int a, int b, int c) {
    return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  }
}
