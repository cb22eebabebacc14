package io.hudizorder.layout.tree;

import static io.hudizorder.layout.tree.QueryWorkload.between;
import static io.hudizorder.layout.tree.QueryWorkload.in;

import io.hudizorder.key.WordSet;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Workloads of benchmarks that others publish, drawn as their specifications say. */
final class PublishedWorkloads {
  private PublishedWorkloads() {}

  /** Days since 1992-01-01, which is the first day of an order in TPC-H. */
  private static int day(int year, int month, int day) {
    return (int)
        (java.time.LocalDate.of(year, 1, 1).plusMonths(month - 1L).plusDays(day - 1L).toEpochDay()
            - java.time.LocalDate.of(1992, 1, 1).toEpochDay());
  }

  /** The days of so many months, of which the first may lie in a year that follows. */
  private static WordSet months(int year, int first, int many) {
    return between(day(year, first, 1), day(year, first + many, 0));
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
              "shipdate", months(year, 1, 12),
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
              "receiptdate", months(year, 1, 12));
        });
    work.template(
        r -> {
          int month = 1 + r.nextInt(60);
          return Map.of("shipdate", months(1993, month, 1));
        });
    work.template(
        r -> {
          int month = 1 + r.nextInt(58);
          return Map.of("shipdate", months(1993, month, 3));
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
          return Map.of("shipdate", months(year, 1, 12));
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
              "orderdate", months(year, 1, 12),
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
            WordSet when = aMonth ? months(1992, month, 1) : years;
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
}
