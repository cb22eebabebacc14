package io.hudizorder.layout.split;

import io.hudizorder.layout.rank.RadixOrder;
import io.hudizorder.layout.rank.SignedWords;
import io.hudizorder.layout.rank.WordTable;
import java.util.Arrays;

/**
 * One column of a sample, each word replaced by its number among the column's distinct words.
 *
 * <p>The rows of each node of a growing tree are neighbours: a split swaps rows until they are.
 */
public final class NumberedColumn {
  /**
   * The number of null: below all values in order, and all bits set, so that {@code number &
   * Integer.MAX_VALUE} lies above all values, where a minimum passes it over.
   */
  public static final int NULL = -1;

  /** So many rows that are to be expected may lack by chance. */
  private static final double BY_CHANCE = 3;

  /** Distinct words other than null, ascending, sign bit flipped. */
  private final long[] words;

  /** How many rows have a value below each distinct word, and how many have a value, at the end. */
  private final int[] below;

  private final int[] numbers;

  /** How many rows have the same value as each row, itself included; 0 for null. */
  private final int[] twins;

  NumberedColumn(long[] sample) {
    int rows = sample.length;
    long[] distinct = new long[rows];
    int[] starts = new int[rows + 1];
    numbers = new int[rows];
    int number = NULL;
    int values = 0;
    for (int row : RadixOrder.of(sample)) {
      if (sample[row] != 0) {
        long word = SignedWords.flip(sample[row]);
        if (number == NULL || word != distinct[number]) {
          distinct[++number] = word;
          starts[number] = values;
        }
        values++;
      }
      numbers[row] = number;
    }
    starts[number + 1] = values;
    words = Arrays.copyOf(distinct, number + 1);
    below = Arrays.copyOf(starts, number + 2);
    twins = Arrays.stream(numbers).map(n -> n == NULL ? 0 : below[n + 1] - below[n]).toArray();
  }

  /** The columns of a sample, its rows in a random order that follows from them alone. */
  public static NumberedColumn[] all(long[][] sample) {
    int[] order = WordTable.randomOrder(sample);
    return Arrays.stream(sample)
        .map(words -> new NumberedColumn(WordTable.inOrder(words, order)))
        .toArray(NumberedColumn[]::new);
  }

  private NumberedColumn(NumberedColumn other) {
    words = other.words;
    below = other.below;
    numbers = other.numbers.clone();
    twins = other.twins.clone();
  }

  /** The same column, whose rows may be swapped on their own. */
  public NumberedColumn copy() {
    return new NumberedColumn(this);
  }

  /** How many rows there are. */
  public int rows() {
    return numbers.length;
  }

  /** How many rows have a value. */
  int values() {
    return below[words.length];
  }

  /** How many values there are, each counted once. */
  public int distinct() {
    return words.length;
  }

  /** The share of all values that have a number from {@code min} to {@code max}. */
  public double share(int min, int max) {
    return (double) (below[max + 1] - below[min]) / values();
  }

  /** Whether several rows have a number. */
  boolean repeats(int number) {
    return number == NULL || below[number + 1] - below[number] > 1;
  }

  /** The word of a number, sign bit flipped. */
  public long word(int number) {
    return words[number];
  }

  /** How many distinct words lie below one, sign bit flipped. */
  public int below(long word) {
    return word == Long.MIN_VALUE ? 0 : SignedWords.countUpTo(words, word - 1);
  }

  /** The number of a row, {@link #NULL} for null. */
  public int number(int row) {
    return numbers[row];
  }

  void copyNumbers(int from, int to, int[] target) {
    System.arraycopy(numbers, from, target, 0, to - from);
  }

  /**
   * States this column in the box around some rows.
   *
   * @param rows where those from {@code start} to {@code end} are told
   * @param c this column's place in the box
   */
  void measure(int[] rows, int start, int end, int c, Box box) {
    int min = Integer.MAX_VALUE;
    int max = NULL;
    long sum = 0;
    for (int i = start; i < end; i++) {
      int row = rows[i];
      int number = numbers[row];
      min = Math.min(min, number & Integer.MAX_VALUE);
      max = Math.max(max, number);
      sum += twins[row];
    }
    box.setColumn(c, min, max, sum);
  }

  /**
   * States the least and the greatest number of some rows, and whether one is null.
   *
   * @param rows where those from {@code start} to {@code end} are told
   * @param at the place to state them at
   */
  public void bound(int[] rows, int start, int end, int at, int[] min, int[] max, boolean[] nulls) {
    int least = Integer.MAX_VALUE;
    int greatest = NULL;
    int any = 0;
    for (int i = start; i < end; i++) {
      int number = numbers[rows[i]];
      least = Math.min(least, number & Integer.MAX_VALUE);
      greatest = Math.max(greatest, number);
      any |= number;
    }
    min[at] = least;
    max[at] = greatest;
    nulls[at] = any < 0;
  }

  /**
   * Whether rows of the table that are like some sampled ones may well have greater values than
   * these: no more of the sample lies beyond them than lies beyond as many rows by chance. A file
   * has many times the rows that are sampled of it, and so reaches as far as any of its values.
   *
   * @param max the greatest number of these
   * @param rows how many there are
   */
  public boolean mayReachAbove(int max, int rows) {
    return max >= 0 && (double) rows * (values() - below[max + 1]) <= BY_CHANCE * rows();
  }

  /** The same of lower values than the least number. */
  public boolean mayReachBelow(int min, int rows) {
    return min < words.length && (double) rows * below[min] <= BY_CHANCE * rows();
  }

  /** The same of nulls, of rows that have none. */
  public boolean mayHoldNull(int rows) {
    int nulls = rows() - values();
    return nulls > 0 && (double) rows * nulls <= BY_CHANCE * rows();
  }

  /** Has two rows change places. */
  public void swap(int a, int b) {
    swap(numbers, a, b);
    swap(twins, a, b);
  }

  private static void swap(int[] array, int a, int b) {
    int element = array[a];
    array[a] = array[b];
    array[b] = element;
  }
}
