package io.hudizorder.layout.query;

import io.hudizorder.key.WordSet;
import io.hudizorder.layout.rank.SignedWords;
import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.layout.split.NumberedColumn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Queries as they may be asked next: literals of a query are a sample of those that its template
 * has.
 *
 * <p>Queries that compare the same columns in the same way are taken for one template. Between each
 * and another of its template, and as far beyond either, lie queries that nobody has asked yet (as
 * in N. Chawla et al., "SMOTE: synthetic minority over-sampling technique", JAIR 2002): all
 * literals move the same part of the way, counted in values of the sample. What is the same in both
 * stays so, and what moves together does so here.
 *
 * <p>Readers move on, too: some variations ask for as many values anywhere in the columns, such as
 * days after all that were asked.
 *
 * <p>Of a query that is alone in its template nobody knows what stays the same, so that all that it
 * asks varies: as many values anywhere, each column on its own, or up to twice as many, or half, at
 * an end of the column.
 */
public final class QueryVariations {
  /** What those that nobody has asked weigh, of all. */
  private static final double UNASKED = 0.5;

  /** How far beyond a query, as a multiple of the way between two. */
  private static final double BEYOND = 1;

  /** Of those that nobody has asked, how many lie anywhere. */
  private static final double ANYWHERE = 0.5;

  /** So many of each query where there are few, one where there are many. */
  private static final int MOST_OF_EACH = 8;

  private static final int MOST = 4_000;

  /** How many times as much a query without another of its template may ask of an end. */
  private static final double MOST_TIMES = 2;

  /** The least word of a value. */
  private static final long LEAST = 1;

  private final NumberedColumn[] columns;

  private QueryVariations(NumberedColumn[] columns) {
    this.columns = columns;
  }

  /** Queries and variations of them; together they weigh as much as the queries alone. */
  public static List<Query> with(List<Query> queries, NumberedColumn[] columns) {
    return new QueryVariations(columns).with(queries);
  }

  private List<Query> with(List<Query> queries) {
    Map<String, List<Query>> templates = new LinkedHashMap<>();
    queries.forEach(
        query -> templates.computeIfAbsent(query.template(), t -> new ArrayList<>()).add(query));
    int ofEach = Math.max(1, Math.min(MOST_OF_EACH, MOST / queries.size()));
    List<Query> asked = new ArrayList<>();
    List<Query> varied = new ArrayList<>();
    for (List<Query> template : templates.values()) {
      boolean isAlone = isAlone(template);
      for (Query query : template) {
        List<Query> own = isAlone ? alone(query, ofEach) : variations(query, template, ofEach);
        double weight = own.isEmpty() ? 0 : UNASKED;
        asked.add(new Query((1 - weight) * query.weight(), query.boxes()));
        own.forEach(
            one -> varied.add(new Query(weight * query.weight() / own.size(), one.boxes())));
      }
    }
    asked.addAll(varied);
    return asked;
  }

  private List<Query> variations(Query query, List<Query> template, int number) {
    List<Query> found = new ArrayList<>();
    long random = query.hash();
    for (int i = 0; i < number; i++) {
      random = WordTable.mixed(random + i + 1);
      Query other = template.get((int) Math.floorMod(random, (long) template.size()));
      double place = fraction(WordTable.mixed(random));
      boolean anywhere = fraction(WordTable.mixed(~random)) < ANYWHERE;
      if (other.hash() != query.hash()) {
        List<Map<Integer, WordSet>> boxes = new ArrayList<>();
        for (int box = 0; box < query.boxes().size(); box++) {
          Map<Integer, WordSet> theirs = other.boxes().get(box);
          Map<Integer, WordSet> sets = new HashMap<>();
          query
              .boxes()
              .get(box)
              .forEach((c, own) -> sets.put(c, varied(c, own, theirs.get(c), place, anywhere)));
          boxes.add(sets);
        }
        found.add(new Query(1, boxes));
      }
    }
    return found;
  }

  /** Whether a template has but one query, however often. */
  private static boolean isAlone(List<Query> template) {
    long first = template.get(0).hash();
    return template.stream().allMatch(query -> query.hash() == first);
  }

  private List<Query> alone(Query query, int number) {
    List<Query> found = new ArrayList<>();
    long random = query.hash();
    for (int i = 0; i < number; i++) {
      List<Map<Integer, WordSet>> boxes = new ArrayList<>();
      for (Map<Integer, WordSet> box : query.boxes()) {
        Map<Integer, WordSet> sets = new HashMap<>();
        for (Map.Entry<Integer, WordSet> asked : new TreeMap<>(box).entrySet()) {
          random = WordTable.mixed(random + i + 1);
          int c = asked.getKey();
          sets.put(c, alone(columns[c], asked.getValue(), fraction(random)));
        }
        boxes.add(sets);
      }
      Query one = new Query(1, boxes);
      if (one.hash() != query.hash()) {
        found.add(one);
      }
    }
    return found;
  }

  /**
   * Varies what is asked of a column where nobody knows what else may be.
   *
   * @param place from 0 to 1
   */
  private static WordSet alone(NumberedColumn column, WordSet set, double place) {
    if (set.isEmpty() || column.distinct() == 0) {
      return set;
    }
    List<long[]> ranges = set.ranges();
    long[] first = ranges.get(0);
    boolean isFromLeast = Long.compareUnsigned(first[0], LEAST) <= 0;
    boolean isToGreatest = ranges.get(ranges.size() - 1)[1] == -1L;
    if (!isFromLeast && !isToGreatest) {
      return moved(column, ranges, place);
    }
    if (ranges.size() > 1 || isFromLeast && isToGreatest || set.equals(WordSet.NULL)) {
      return set;
    }
    double times = Math.pow(MOST_TIMES, 2 * place - 1);
    int distinct = column.distinct();
    if (isFromLeast) {
      int to = (int) Math.round(times * end(column, first));
      return WordSet.range(first[0], highWord(column, Math.max(1, Math.min(distinct, to))));
    }
    int from = distinct - (int) Math.round(times * (distinct - low(column, first)));
    return WordSet.range(lowWord(column, Math.max(0, Math.min(distinct - 1, from))), -1L);
  }

  private static double fraction(long random) {
    return (random >>> 11) * 0x1p-53;
  }

  /**
   * Varies what is asked of a column.
   *
   * @param b what another query of the template asks
   * @param place from 0 to 1, how far along the way that there is
   */
  private WordSet varied(int c, WordSet a, WordSet b, double place, boolean anywhere) {
    NumberedColumn column = columns[c];
    if (anywhere && column.distinct() > 0 && isApart(a, b)) {
      return moved(column, a.ranges(), place);
    }
    List<WordSet> moved = new ArrayList<>();
    double part = -BEYOND + (1 + 2 * BEYOND) * place;
    for (int i = 0; i < a.ranges().size(); i++) {
      moved.add(between(column, a.ranges().get(i), b.ranges().get(i), part));
    }
    return WordSet.union(moved.stream());
  }

  /** Whether there are ranges, and no end of one is the other's, as it is where there is no end. */
  private static boolean isApart(WordSet a, WordSet b) {
    return !a.isEmpty()
        && IntStream.range(0, a.ranges().size())
            .allMatch(
                i ->
                    a.ranges().get(i)[0] != b.ranges().get(i)[0]
                        && a.ranges().get(i)[1] != b.ranges().get(i)[1]);
  }

  /** Ranges as wide, and as far from one another, at some other place of the column. */
  private static WordSet moved(NumberedColumn column, List<long[]> ranges, double place) {
    int first = low(column, ranges.get(0));
    int width = end(column, ranges.get(ranges.size() - 1)) - first;
    int way = (int) (place * Math.max(0, column.distinct() - width)) - first;
    return WordSet.union(
        ranges.stream()
            .map(range -> range(column, low(column, range) + way, end(column, range) + way)));
  }

  private static WordSet between(NumberedColumn column, long[] a, long[] b, double part) {
    if (column.distinct() == 0 || a[0] == b[0] && a[1] == b[1]) {
      return WordSet.range(a[0], a[1]);
    }
    int low = low(column, a);
    int otherLow = low(column, b);
    double width = end(column, a) - low;
    double otherWidth = end(column, b) - otherLow;
    int last = column.distinct() - 1;
    int from = moved(low, otherLow, part, last);
    int to =
        a[0] == b[0] || a[1] == b[1]
            ? moved(end(column, a), end(column, b), part, last + 1)
            : (int)
                Math.max(
                    from,
                    Math.min(last + 1, Math.round(from + width + part * (otherWidth - width))));
    long lowWord = a[0] == b[0] ? a[0] : lowWord(column, from);
    long highWord = a[1] == b[1] ? a[1] : highWord(column, to);
    return WordSet.range(lowWord, WordSet.max(lowWord, highWord));
  }

  /** The values from one number up to another; at least one. */
  private static WordSet range(NumberedColumn column, int from, int to) {
    long low = lowWord(column, Math.min(from, column.distinct() - 1));
    return WordSet.range(low, WordSet.max(low, highWord(column, to)));
  }

  private static long lowWord(NumberedColumn column, int from) {
    return SignedWords.flip(column.word(from));
  }

  private static long highWord(NumberedColumn column, int to) {
    return to < column.distinct() ? SignedWords.flip(column.word(to)) - 1 : -1L;
  }

  private static int moved(int number, int other, double part, int last) {
    return (int) Math.max(0, Math.min(last, Math.round(number + part * (other - number))));
  }

  private static int low(NumberedColumn column, long[] range) {
    return column.below(SignedWords.flip(range[0]));
  }

  /** The number that follows a range. */
  private static int end(NumberedColumn column, long[] range) {
    return range[1] == -1L ? column.distinct() : column.below(SignedWords.flip(range[1] + 1));
  }
}
