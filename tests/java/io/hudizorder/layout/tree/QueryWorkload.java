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
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A made-up table of whole numbers and the templates of queries on it, whose parameters are drawn.
 *
 * <p>What a template says of other tables, of two columns at once or of subqueries is left out: no
 * statistics of a file tell of it. A template of which nothing is left is none.
 */
final class QueryWorkload {
  private static final int NULL = Integer.MIN_VALUE;

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
  private void column(String column, IntToLongFunction value) {
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

  private void template(Function<Random, Map<String, WordSet>> drawn) {
    anyOf(random -> List.of(drawn.apply(random)));
  }

  private void anyOf(Function<Random, List<Map<String, WordSet>>> drawn) {
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
  private static WordSet between(int low, int high) {
    return WordSet.range(Words.ofInt(low), Words.ofInt(high));
  }

  private static WordSet in(int... values) {
    return WordSet.union(IntStream.of(values).mapToObj(value -> between(value, value)));
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

  /** All of them, made when asked for. */
  static List<Supplier<QueryWorkload>> all(int rows) {
    return List.of(
        () -> lineitem(rows), () -> starSchema(rows), () -> flights(rows), () -> drifting(rows));
  }

  /** Days since 1992-01-01, which is the first day of an order in TPC-H. */
  private static int day(int year, int month, int day) {
    return (int)
        (java.time.LocalDate.of(year, 1, 1).plusMonths(month - 1L).plusDays(day - 1L).toEpochDay()
            - java.time.LocalDate.of(1992, 1, 1).toEpochDay());
  }

  /**
   * {@code lineitem} of TPC-H, drawn as its specification says (clause 4.2.3), and what its queries
   * ask of that table (clause 2.4): 4, 5, 8, 17, 18 and 21 ask only of others, or of two columns.
   */
  static QueryWorkload lineitem(int rows) {
    QueryWorkload work = new QueryWorkload("TPC-H lineitem", rows);
    Random random = new Random(1);
    int[] ship = new int[rows];
    int[] commit = new int[rows];
    int[] receipt = new int[rows];
    int lastOrder = day(1998, 12, 31) - 151;
    for (int row = 0; row < rows; row++) {
      int order = random.nextInt(lastOrder + 1);
      ship[row] = order + 1 + random.nextInt(121);
      commit[row] = order + 30 + random.nextInt(61);
      receipt[row] = ship[row] + 1 + random.nextInt(30);
    }
    int current = day(1995, 6, 17);
    work.column("shipdate", row -> ship[row]);
    work.column("commitdate", row -> commit[row]);
    work.column("receiptdate", row -> receipt[row]);
    work.column("quantity", row -> 1 + random.nextInt(50));
    work.column("discount", row -> random.nextInt(11));
    // A, N, R; F, O.
    work.column("returnflag", row -> receipt[row] <= current ? 2 * random.nextInt(2) : 1);
    work.column("linestatus", row -> ship[row] > current ? 1 : 0);
    // AIR, FOB, MAIL, RAIL, REG AIR, SHIP, TRUCK; COLLECT COD, DELIVER IN PERSON, NONE, TAKE BACK.
    work.column("shipmode", row -> random.nextInt(7));
    work.column("shipinstruct", row -> random.nextInt(4));
    work.column("partkey", row -> random.nextInt(200_000));
    work.column("suppkey", row -> random.nextInt(10_000));
    work.template(r -> Map.of("shipdate", between(0, day(1998, 12, 1) - 60 - r.nextInt(61))));
    work.template(r -> Map.of("shipdate", between(day(1995, 3, 2 + r.nextInt(31)), 9_999)));
    work.template(
        r -> {
          int year = 1993 + r.nextInt(5);
          int discount = 2 + r.nextInt(8);
          return Map.of(
              "shipdate", between(day(year, 1, 1), day(year + 1, 1, 0)),
              "discount", between(discount - 1, discount + 1),
              "quantity", between(0, 23 + r.nextInt(2)));
        });
    work.template(r -> Map.of("shipdate", between(day(1995, 1, 1), day(1996, 12, 31))));
    work.template(r -> Map.of("returnflag", in(2)));
    work.template(
        r -> {
          int year = 1993 + r.nextInt(5);
          int mode = r.nextInt(7);
          return Map.of(
              "shipmode", in(mode, (mode + 1 + r.nextInt(6)) % 7),
              "receiptdate", between(day(year, 1, 1), day(year + 1, 1, 0)));
        });
    work.template(
        r -> {
          int month = 1 + r.nextInt(60);
          return Map.of("shipdate", between(day(1993, month, 1), day(1993, month + 1, 0)));
        });
    work.template(
        r -> {
          int month = 1 + r.nextInt(58);
          return Map.of("shipdate", between(day(1993, month, 1), day(1993, month + 3, 0)));
        });
    work.anyOf(
        r ->
            Stream.of(1 + r.nextInt(10), 10 + r.nextInt(11), 20 + r.nextInt(11))
                .map(
                    quantity ->
                        Map.of(
                            "quantity", between(quantity, quantity + 10),
                            "shipmode", in(0),
                            "shipinstruct", in(1)))
                .collect(Collectors.toList()));
    work.template(
        r -> {
          int year = 1993 + r.nextInt(5);
          return Map.of("shipdate", between(day(year, 1, 1), day(year + 1, 1, 0)));
        });
    return work;
  }

  /** {@code lineorder} of the Star Schema Benchmark with its dimensions' columns, flat. */
  static QueryWorkload starSchema(int rows) {
    QueryWorkload work = new QueryWorkload("SSB flat", rows);
    Random random = new Random(2);
    int[] brand = random.ints(rows, 0, 1_000).toArray();
    work.column("orderdate", row -> random.nextInt(day(1998, 8, 2)));
    work.column("quantity", row -> 1 + random.nextInt(50));
    work.column("discount", row -> random.nextInt(11));
    work.column("mfgr", row -> brand[row] / 200);
    work.column("category", row -> brand[row] / 40);
    work.column("brand", row -> brand[row]);
    for (String side : new String[] {"c_", "s_"}) {
      int[] city = random.ints(rows, 0, 250).toArray();
      work.column(side + "region", row -> region(city[row] / 10));
      work.column(side + "nation", row -> city[row] / 10);
      work.column(side + "city", row -> city[row]);
    }
    work.template(
        r -> {
          int year = 1993 + r.nextInt(5);
          int discount = 1 + r.nextInt(8);
          return Map.of(
              "orderdate", between(day(year, 1, 1), day(year + 1, 1, 0)),
              "discount", between(discount, discount + 2),
              "quantity", between(0, 24));
        });
    for (int days : new int[] {31, 7}) {
      work.template(
          r -> {
            int first = r.nextInt(2_300);
            int discount = 1 + r.nextInt(8);
            int quantity = 1 + r.nextInt(40);
            return Map.of(
                "orderdate", between(first, first + days - 1),
                "discount", between(discount, discount + 2),
                "quantity", between(quantity, quantity + 9));
          });
    }
    work.template(r -> Map.of("category", in(r.nextInt(25)), "s_region", in(r.nextInt(5))));
    work.template(
        r -> {
          int first = r.nextInt(25) * 40 + r.nextInt(32);
          return Map.of("brand", between(first, first + 7), "s_region", in(r.nextInt(5)));
        });
    work.template(r -> Map.of("brand", in(r.nextInt(1_000)), "s_region", in(r.nextInt(5))));
    WordSet years = between(0, day(1997, 12, 31));
    work.template(
        r -> {
          int region = r.nextInt(5);
          return Map.of("c_region", in(region), "s_region", in(region), "orderdate", years);
        });
    work.template(
        r -> {
          int nation = r.nextInt(25);
          return Map.of("c_nation", in(nation), "s_nation", in(nation), "orderdate", years);
        });
    for (boolean aMonth : new boolean[] {false, true}) {
      work.template(
          r -> {
            int a = r.nextInt(250);
            int b = a / 10 * 10 + r.nextInt(10);
            int month = 1 + r.nextInt(78);
            WordSet when = aMonth ? between(day(1992, month, 1), day(1992, month + 1, 0)) : years;
            return Map.of("c_city", in(a, b), "s_city", in(a, b), "orderdate", when);
          });
    }
    work.template(
        r -> {
          int region = r.nextInt(5);
          return Map.of("c_region", in(region), "s_region", in(region), "mfgr", in(0, 1));
        });
    WordSet lastYears = between(day(1997, 1, 1), day(1998, 12, 31));
    work.template(
        r -> {
          int region = r.nextInt(5);
          return Map.of(
              "c_region",
              in(region),
              "s_region",
              in(region),
              "mfgr",
              in(0, 1),
              "orderdate",
              lastYears);
        });
    work.template(
        r -> {
          int nation = r.nextInt(25);
          return Map.of(
              "c_region",
              in(region(nation)),
              "s_nation",
              in(nation),
              "category",
              in(r.nextInt(25)),
              "orderdate",
              lastYears);
        });
    return work;
  }

  private static int region(int nation) {
    return nation * 7 % 5;
  }

  /** A year of flights: skewed, correlated, with nulls. */
  static QueryWorkload flights(int rows) {
    QueryWorkload work = new QueryWorkload("flights", rows);
    Random random = new Random(3);
    int[] dest = new int[rows];
    int[] delay = new int[rows];
    for (int row = 0; row < rows; row++) {
      dest[row] = (int) (105 * Math.pow(random.nextDouble(), 2));
      boolean cancelled = random.nextInt(40) == 0;
      delay[row] = cancelled ? NULL : (int) (-8 + 12 * Math.exp(1.1 * random.nextGaussian()) - 4);
    }
    int[] distances = new Random(4).ints(105, 90, 2_600).toArray();
    work.column("day", row -> random.nextInt(365));
    work.column("hour", row -> 5 + (random.nextInt(10) + random.nextInt(10)));
    work.column("carrier", row -> (int) (16 * Math.pow(random.nextDouble(), 2.5)));
    work.column("origin", row -> random.nextInt(3));
    work.column("dest", row -> dest[row]);
    work.column("distance", row -> distances[dest[row]]);
    work.column(
        "air_time",
        row -> delay[row] == NULL ? NULL : distances[dest[row]] / 7 + random.nextInt(30));
    work.column("dep_delay", row -> delay[row]);
    work.template(
        r -> {
          int first = r.nextInt(358);
          return Map.of("day", between(first, first + 6), "origin", in(r.nextInt(3)));
        });
    work.template(r -> Map.of("dest", in((int) (105 * Math.pow(r.nextDouble(), 2)))));
    work.template(
        r -> {
          int month = r.nextInt(12);
          return Map.of(
              "carrier", in((int) (16 * Math.pow(r.nextDouble(), 2.5))),
              "day", between(month * 30, month * 30 + 30));
        });
    work.template(r -> Map.of("dep_delay", between(30 * (1 + r.nextInt(4)), 99_999)));
    work.template(
        r -> {
          int first = 500 * (1 + r.nextInt(4));
          return Map.of("distance", between(first, first + 500), "origin", in(r.nextInt(3)));
        });
    work.template(r -> Map.of("hour", between(5, 7 + r.nextInt(2)), "origin", in(r.nextInt(3))));
    work.template(
        r -> Map.of("dest", in(r.nextInt(105), r.nextInt(105), r.nextInt(105), r.nextInt(105))));
    work.template(
        r -> Map.of("dep_delay", WordSet.NULL, "day", between(0, 30 * (1 + r.nextInt(12)))));
    return work;
  }

  /**
   * Orders whose readers move on: what they ask of time is drawn from days that follow those of the
   * seed before, what else they ask repeats, and some columns are asked once in a while.
   */
  static QueryWorkload drifting(int rows) {
    QueryWorkload work = new QueryWorkload("drifting", rows);
    Random random = new Random(5);
    work.column("day", row -> random.nextInt(730));
    work.column("customer", row -> (int) Math.pow(1e5, random.nextDouble()));
    work.column("status", row -> (int) (6 * Math.pow(random.nextDouble(), 3)));
    work.column("amount", row -> (int) (1_000 * Math.exp(random.nextGaussian())));
    work.column("store", row -> random.nextInt(400));
    work.column("item", row -> random.nextInt(20_000));
    for (int window : new int[] {1, 7, 30}) {
      work.template(
          r -> {
            int now = work.now + r.nextInt(200);
            return Map.of("day", between(now - window, now), "store", in(r.nextInt(400)));
          });
    }
    work.template(
        r -> {
          int now = work.now + r.nextInt(200);
          return Map.of("day", between(now - 30, now), "status", in(1 + r.nextInt(5)));
        });
    work.template(r -> Map.of("customer", in((int) Math.pow(1e5, r.nextDouble()))));
    work.template(r -> Map.of("amount", between(5_000 + 500 * r.nextInt(10), 9_999_999)));
    work.template(r -> Map.of("item", in(r.nextInt(40) * 500)));
    return work;
  }
}
