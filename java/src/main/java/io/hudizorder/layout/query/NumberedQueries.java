package io.hudizorder.layout.query;

import io.hudizorder.key.WordSet;
import io.hudizorder.layout.rank.SignedWords;
import io.hudizorder.layout.split.NumberedColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Queries in the numbers of a sample's words ({@link NumberedColumn}), null being {@link
 * NumberedColumn#NULL}. They are kept as one list of boxes, those of a query side by side.
 *
 * <p>A range that lies between two sampled values has its ends the wrong way round: it meets the
 * interval of a file that holds both, and of no other.
 */
public final class NumberedQueries {
  /** What a box asks of one column: ranges of numbers, ascending, both ends inside. */
  static final class Condition {
    final int column;
    final int[] lows;
    final int[] highs;

    /** The words that the ranges begin with, and those that follow them, sign bits flipped. */
    final long[] lowWords;

    final long[] nextWords;

    /** The first of the lows and the last of the highs, which most conditions have no more of. */
    private final int least;

    private final int greatest;

    private Condition(int column, WordSet words, NumberedColumn numbers) {
      this.column = column;
      List<long[]> ranges = words.ranges();
      lows = new int[ranges.size()];
      highs = new int[lows.length];
      lowWords = new long[lows.length];
      nextWords = new long[lows.length];
      for (int i = 0; i < lows.length; i++) {
        long[] range = ranges.get(i);
        lowWords[i] = SignedWords.flip(range[0]);
        // No word follows the greatest: nothing lies right of a cut there.
        nextWords[i] = range[1] == -1L ? Long.MAX_VALUE : SignedWords.flip(range[1] + 1);
        lows[i] = range[0] == 0 ? NumberedColumn.NULL : numbers.below(lowWords[i]);
        highs[i] = range[1] == -1L ? numbers.distinct() - 1 : numbers.below(nextWords[i]) - 1;
      }
      least = lows.length == 0 ? Integer.MAX_VALUE : lows[0];
      greatest = lows.length == 0 ? Integer.MIN_VALUE : highs[highs.length - 1];
    }

    /** Whether every value of some rows, nulls included, is one of these. */
    boolean takesAll(Intervals rows) {
      int leastOfRows = rows.nulls(column) ? NumberedColumn.NULL : rows.min(column);
      return lows.length == 1 && least <= leastOfRows && greatest >= rows.max(column);
    }

    /** Whether a file may hold such a value, by what its statistics tell of the column. */
    boolean meets(int min, int max, boolean nulls) {
      if (nulls && least == NumberedColumn.NULL) {
        return true;
      }
      if (greatest < min || least > max) {
        return false;
      }
      return lows.length == 1 || anyMeets(min, max);
    }

    private boolean anyMeets(int min, int max) {
      int low = 0;
      int high = lows.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (highs[middle] < min) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return lows[low] <= max;
    }
  }

  private final double[] weights;

  /** By box. */
  private final int[] owner;

  private final Condition[][] conditions;

  /** By column, once they are asked for. */
  private final QueryLiterals[] literals;

  /** Those of given queries; the order of the rows of a sample does not matter. */
  public NumberedQueries(List<Query> queries, NumberedColumn[] columns) {
    weights = queries.stream().mapToDouble(Query::weight).toArray();
    owner =
        IntStream.range(0, weights.length)
            .flatMap(q -> queries.get(q).boxes().stream().mapToInt(box -> q))
            .toArray();
    conditions =
        queries.stream()
            .flatMap(query -> query.boxes().stream())
            .map(box -> conditions(box, columns))
            .toArray(Condition[][]::new);
    literals = new QueryLiterals[columns.length];
  }

  private static Condition[] conditions(Map<Integer, WordSet> box, NumberedColumn[] columns) {
    return new TreeMap<>(box)
        .entrySet().stream()
            .map(e -> new Condition(e.getKey(), e.getValue(), columns[e.getKey()]))
            .toArray(Condition[]::new);
  }

  /** How many boxes there are. */
  int boxes() {
    return owner.length;
  }

  int owner(int box) {
    return owner[box];
  }

  double weight(int box) {
    return weights[owner[box]];
  }

  Condition[] conditions(int box) {
    return conditions[box];
  }

  /** Where to cut a column. */
  synchronized QueryLiterals literals(int c) {
    if (literals[c] == null) {
      List<Condition> own = new ArrayList<>();
      List<Integer> boxes = new ArrayList<>();
      for (int box = 0; box < conditions.length; box++) {
        for (Condition condition : conditions[box]) {
          if (condition.column == c) {
            own.add(condition);
            boxes.add(box);
          }
        }
      }
      literals[c] = QueryLiterals.of(own, boxes);
    }
    return literals[c];
  }

  /** Those of some boxes that rows between such values may lie in. */
  int[] meeting(int[] boxes, Intervals rows) {
    int[] met = new int[boxes.length];
    int count = 0;
    for (int box : boxes) {
      if (meets(box, rows)) {
        met[count++] = box;
      }
    }
    return Arrays.copyOf(met, count);
  }

  private boolean meets(int box, Intervals rows) {
    for (Condition condition : conditions[box]) {
      int c = condition.column;
      if (!condition.meets(rows.min(c), rows.max(c), rows.nulls(c))) {
        return false;
      }
    }
    return true;
  }

  /** How many columns some boxes ask. */
  long columns(int[] boxes) {
    BitSet asked = new BitSet();
    for (int box : boxes) {
      for (Condition condition : conditions[box]) {
        asked.set(condition.column);
      }
    }
    return asked.cardinality();
  }

  /** The sum of the weights of the queries of some boxes. */
  double weigh(int[] boxes) {
    double sum = 0;
    int last = -1;
    for (int box : boxes) {
      if (owner[box] != last) {
        last = owner[box];
        sum += weights[last];
      }
    }
    return sum;
  }
}
