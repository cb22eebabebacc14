package io.hudizorder.key;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Words of one column as ranges: disjoint, in ascending order, both ends inside; compared as
 * unsigned. Sets may be made larger and never smaller, as what they stand for is where a row may
 * be.
 */
public final class WordSet {

  public static final WordSet NONE = new WordSet(List.of());
  public static final WordSet ALL = range(0, -1L);
  public static final WordSet NULL = range(0, 0);
  public static final WordSet VALUES = range(1, -1L);

  private final List<long[]> ranges;

  private WordSet(List<long[]> ranges) {
    this.ranges = ranges;
  }

  /** The words between two; none if they are the wrong way round. */
  public static WordSet range(long low, long high) {
    return Long.compareUnsigned(low, high) > 0
        ? NONE
        : new WordSet(List.of(new long[] {low, high}));
  }

  public static WordSet word(long word) {
    return range(word, word);
  }

  public boolean isEmpty() {
    return ranges.isEmpty();
  }

  /** The lowest and the highest word of each range. */
  public List<long[]> ranges() {
    return ranges;
  }

  public boolean contains(WordSet other) {
    return and(other).equals(other);
  }

  public WordSet or(WordSet other) {
    return union(Stream.of(this, other));
  }

  public static WordSet union(Stream<WordSet> sets) {
    List<long[]> sorted =
        sets.flatMap(set -> set.ranges.stream())
            .sorted(Comparator.comparing(range -> range[0], Long::compareUnsigned))
            .collect(Collectors.toList());
    ArrayList<long[]> joined = new ArrayList<>();
    for (long[] next : sorted) {
      long[] last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
      // No word comes after the greatest, whose successor is 0.
      if (last != null && (last[1] == -1 || Long.compareUnsigned(next[0], last[1] + 1) <= 0)) {
        joined.set(joined.size() - 1, new long[] {last[0], max(last[1], next[1])});
      } else {
        joined.add(next);
      }
    }
    return new WordSet(joined);
  }

  public WordSet and(WordSet other) {
    return new WordSet(
        ranges.stream()
            .flatMap(
                mine ->
                    other.ranges.stream()
                        .flatMap(
                            range ->
                                range(max(mine[0], range[0]), min(mine[1], range[1]))
                                    .ranges
                                    .stream()))
            .collect(Collectors.toList()));
  }

  /** A larger set of at most so many ranges: the narrowest gaps are closed. */
  public WordSet atMost(int most) {
    if (ranges.size() <= most) {
      return this;
    }
    long[] gaps =
        IntStream.range(1, ranges.size())
            .mapToLong(i -> ranges.get(i)[0] - ranges.get(i - 1)[1])
            .toArray();
    List<Integer> kept =
        IntStream.range(0, gaps.length)
            .boxed()
            .sorted((i, j) -> Long.compareUnsigned(gaps[j], gaps[i]))
            .limit(most - 1L)
            .sorted()
            .collect(Collectors.toList());
    ArrayList<long[]> wider = new ArrayList<>();
    long low = ranges.get(0)[0];
    for (int gap : kept) {
      wider.add(new long[] {low, ranges.get(gap)[1]});
      low = ranges.get(gap + 1)[0];
    }
    wider.add(new long[] {low, ranges.get(ranges.size() - 1)[1]});
    return new WordSet(wider);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof WordSet
        && Arrays.deepEquals(ranges.toArray(), ((WordSet) other).ranges.toArray());
  }

  @Override
  public int hashCode() {
    return Arrays.deepHashCode(ranges.toArray());
  }

  @Override
  public String toString() {
    return ranges.stream()
        .map(range -> String.format("%016x-%016x", range[0], range[1]))
        .collect(Collectors.joining(",", "{", "}"));
  }

  public static long min(long a, long b) {
    return Long.compareUnsigned(a, b) < 0 ? a : b;
  }

  public static long max(long a, long b) {
    return Long.compareUnsigned(a, b) > 0 ? a : b;
  }
}
