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
import java.util.function.IntFunction;
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

  /** By query; 0 where others were drawn. */
  private final double[] weights;

  /** By box. */
  private final int[] owner;

  private final Condition[][] conditions;

  /** By column, once they are asked for. */
  private final QueryLiterals[] literals;

  private final IntFunction<QueryLiterals> findLiterals;

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
    findLiterals = this::literalsOf;
  }

  private NumberedQueries(NumberedQueries queries, double[] weights) {
    this.weights = weights;
    owner = queries.owner;
    conditions = queries.conditions;
    literals = new QueryLiterals[queries.literals.length];
    findLiterals = c -> queries.literals(c).of(box -> weight(box) > 0);
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

  /**
   * These queries where some boxes are looked at, or where they are many about so many of them: of
   * the others the queries weigh 0.
   *
   * <p>Whoever weighs a step or more weighs what it did. Of the rest those are drawn in which a
   * step along the sum of their weights ends, and weigh a step each. So all together weigh what
   * they did, against one another and against equalities.
   */
  NumberedQueries drawn(int[] boxes, int most) {
    // One is drawn at least, though it has more boxes than are to be left.
    double step = boxes.length <= most ? 0 : Math.min(step(boxes, most), weigh(boxes));
    double[] drawn = new double[weights.length];
    double gone = step / 2;
    int last = -1;
    for (int box : boxes) {
      if (owner[box] != last) {
        last = owner[box];
        if (weights[last] >= step) {
          drawn[last] = weights[last];
        } else {
          gone += weights[last];
          drawn[last] = gone < step ? 0 : step;
          gone -= drawn[last];
        }
      }
    }
    return new NumberedQueries(this, drawn);
  }

  /**
   * How long the steps are that leave about so many of some boxes. Whoever weighs as much needs
   * none, which makes those of the others shorter.
   */
  private double step(int[] boxes, int most) {
    double step;
    double shorter = Double.POSITIVE_INFINITY;
    do {
      step = shorter;
      double sum = 0;
      int left = most;
      for (int box : boxes) {
        if (weight(box) < step) {
          sum += weight(box);
        } else {
          left--;
        }
      }
      shorter = sum / left;
    } while (shorter < step);
    return step;
  }

  /** Where to cut a column for those that count. */
  QueryLiterals literals(int c) {
    synchronized (literals) {
      if (literals[c] == null) {
        literals[c] = findLiterals.apply(c);
      }
      return literals[c];
    }
  }

  private QueryLiterals literalsOf(int c) {
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
    return QueryLiterals.of(own, boxes);
  }

  /** Those of some boxes that rows between such values may lie in, and whose queries count. */
  int[] meeting(int[] boxes, Intervals rows) {
    int[] met = new int[boxes.length];
    int count = 0;
    for (int box : boxes) {
      if (weight(box) > 0 && meets(box, rows)) {
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
