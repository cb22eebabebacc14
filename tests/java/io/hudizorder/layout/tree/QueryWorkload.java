package io.hudizorder.layout.tree;

import io.hudizorder.key.WordSet;
import io.hudizorder.key.Words;
import io.hudizorder.layout.query.Query;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A made-up table of whole numbers and the templates of queries on it, whose parameters are drawn.
 *
 * <p>What a template says of other tables, of two columns at once or of subqueries is left out: no
 * statistics of a file tell of it. A template of which nothing is left is none.
 */
final class QueryWorkload {
  static final int NULL = Integer.MIN_VALUE;

  private final String name;
  private final List<String> columns = new ArrayList<>();
  private final List<long[]> words = new ArrayList<>();
  private final int rows;

  /** From which day on queries are asked. */
  private int now;

  private final List<Function<Random, List<Map<Integer, WordSet>>>> templates = new ArrayList<>();

  QueryWorkload(String name, int rows) {
    this.name = name;
    this.rows = rows;
  }

  /** Adds a column; {@link #NULL} is null. */
  void column(String column, IntToLongFunction value) {
    columns.add(column);
    words.add(
        IntStream.range(0, rows)
            .mapToLong(
                row -> {
                  int drawn = (int) value.applyAsLong(row);
                  return drawn == NULL ? Words.NULL : Words.ofInt(drawn);
                })
            .toArray());
  }

  void template(Function<Random, Map<String, WordSet>> drawn) {
    anyOf(random -> List.of(drawn.apply(random)));
  }

  void anyOf(Function<Random, List<Map<String, WordSet>>> drawn) {
    templates.add(
        random -> {
          List<Map<Integer, WordSet>> boxes = new ArrayList<>();
          for (Map<String, WordSet> box : drawn.apply(random)) {
            Map<Integer, WordSet> numbered = new HashMap<>();
            box.forEach((column, set) -> numbered.put(columns.indexOf(column), set));
            boxes.add(numbered);
          }
          return boxes;
        });
  }

  /** All values from one to another, both inside. */
  static WordSet between(int low, int high) {
    return WordSet.range(Words.ofInt(low), Words.ofInt(high));
  }

  static WordSet in(int... values) {
    return WordSet.union(IntStream.of(values).mapToObj(value -> between(value, value)));
  }

  /** From which day on queries are asked: a later one for those that follow. */
  int now() {
    return now;
  }

  String name() {
    return name;
  }

  int columns() {
    return columns.size();
  }

  String column(int c) {
    return columns.get(c);
  }

  int templates() {
    return templates.size();
  }

  /** The table, a tie-breaker last. */
  long[][] table() {
    long[] ties =
        IntStream.range(0, rows).mapToLong(row -> (row + 1) * 0x9E3779B97F4A7C15L).toArray();
    return Stream.concat(words.stream(), Stream.of(ties)).toArray(long[][]::new);
  }

  /**
   * Draws so many queries of each template.
   *
   * @param later whether they are asked after others, which matters where readers move on
   */
  List<Query> draw(int ofEach, long seed, boolean later) {
    now = later ? 300 : 100;
    List<Query> queries = new ArrayList<>();
    for (int t = 0; t < templates.size(); t++) {
      Random random = new Random(seed * 1_000 + t);
      random.nextInt();
      for (int i = 0; i < ofEach; i++) {
        queries.add(new Query(1, templates.get(t).apply(random)));
      }
    }
    return queries;
  }
}
