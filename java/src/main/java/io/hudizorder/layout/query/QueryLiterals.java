package io.hudizorder.layout.query;

import io.hudizorder.layout.rank.SignedWords;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Where a cut of one column would part what queries ask from what they do not, ascending. */
final class QueryLiterals {
  /** The least numbers that go right of each. */
  final int[] numbers;

  /** The least words that go right, sign bits flipped. */
  final long[] words;

  /** Whose they are. */
  final int[] boxes;

  private QueryLiterals(int literals) {
    numbers = new int[literals];
    words = new long[literals];
    boxes = new int[literals];
  }

  /** The ends of all ranges of some boxes' conditions on one column. */
  static QueryLiterals of(List<NumberedQueries.Condition> conditions, List<Integer> boxOf) {
    int literals = conditions.stream().mapToInt(condition -> 2 * condition.lows.length).sum();
    QueryLiterals found = new QueryLiterals(literals);
    int at = 0;
    for (int i = 0; i < boxOf.size(); i++) {
      NumberedQueries.Condition condition = conditions.get(i);
      for (int range = 0; range < condition.lows.length; range++) {
        found.set(at++, condition.lows[range], condition.lowWords[range], boxOf.get(i));
        found.set(at++, condition.highs[range] + 1, condition.nextWords[range], boxOf.get(i));
      }
    }
    return found.sorted();
  }

  private void set(int i, int number, long word, int box) {
    numbers[i] = number;
    words[i] = word;
    boxes[i] = box;
  }

  private QueryLiterals sorted() {
    Integer[] order = new Integer[words.length];
    Arrays.setAll(order, i -> i);
    Arrays.sort(
        order,
        (a, b) ->
            numbers[a] != numbers[b]
                ? Integer.compare(numbers[a], numbers[b])
                : Long.compare(words[a], words[b]));
    return at(Arrays.stream(order).mapToInt(i -> i).toArray());
  }

  /** Those of some boxes. */
  QueryLiterals of(IntPredicate some) {
    return at(IntStream.range(0, boxes.length).filter(i -> some.test(boxes[i])).toArray());
  }

  private QueryLiterals at(int[] places) {
    QueryLiterals found = new QueryLiterals(places.length);
    for (int i = 0; i < places.length; i++) {
      found.set(i, numbers[places[i]], words[places[i]], boxes[places[i]]);
    }
    return found;
  }

  /** How many literals part nothing from what has a number up to a given one. */
  int upTo(int number) {
    return SignedWords.countUpTo(numbers, numbers.length, number);
  }
}
