package io.hudizorder.layout.tree;

import static io.hudizorder.layout.tree.QueryWorkload.NULL;
import static io.hudizorder.layout.tree.QueryWorkload.between;
import static io.hudizorder.layout.tree.QueryWorkload.in;

import io.hudizorder.key.WordSet;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** Workloads made up here, of skewed, correlated and missing values. */
final class MadeUpWorkloads {
  private static final int DEVICES = 2_000;

  private MadeUpWorkloads() {}

  /** A year of flights: skewed, correlated, with nulls. */
  static QueryWorkload flights(int rows) {
    QueryWorkload work = new QueryWorkload("flights", rows);
    Random random = new Random(3);
    int[] dest = new int[rows];
    int[] delay = new int[rows];
    for (int row = 0; row < rows; row++) {
      dest[row] = skewed(random, 105, 2);
      boolean cancelled = random.nextInt(40) == 0;
      delay[row] = cancelled ? NULL : (int) (-8 + 12 * Math.exp(1.1 * random.nextGaussian()) - 4);
    }
    int[] distances = new Random(4).ints(105, 90, 2_600).toArray();
    work.column("day", row -> random.nextInt(365));
    work.column("hour", row -> 5 + (random.nextInt(10) + random.nextInt(10)));
    work.column("carrier", row -> skewed(random, 16, 2.5));
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
    work.template(r -> Map.of("dest", in(skewed(r, 105, 2))));
    work.template(
        r -> {
          int month = r.nextInt(12);
          return Map.of(
              "carrier", in(skewed(r, 16, 2.5)),
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
    work.column("customer", row -> zipf(random, 1e5));
    work.column("status", row -> skewed(random, 6, 3));
    work.column("amount", row -> (int) (1_000 * Math.exp(random.nextGaussian())));
    work.column("store", row -> random.nextInt(400));
    work.column("item", row -> random.nextInt(20_000));
    for (int window : new int[] {1, 7, 30}) {
      work.template(
          r -> {
            int now = work.now() + r.nextInt(200);
            return Map.of("day", between(now - window, now), "store", in(r.nextInt(400)));
          });
    }
    work.template(
        r -> {
          int now = work.now() + r.nextInt(200);
          return Map.of("day", between(now - 30, now), "status", in(1 + r.nextInt(5)));
        });
    work.template(r -> Map.of("customer", in(zipf(r, 1e5))));
    work.template(r -> Map.of("amount", between(5_000 + 500 * r.nextInt(10), 9_999_999)));
    work.template(r -> Map.of("item", in(r.nextInt(40) * 500)));
    return work;
  }

  /**
   * Readings of sensors, as they come: who asks wants one device's day, a site's week, what failed,
   * what stands out, what is about to fail.
   */
  static QueryWorkload sensors(int rows) {
    QueryWorkload work = new QueryWorkload("sensors", rows);
    Random random = new Random(6);
    int[] device = random.ints(rows, 0, DEVICES).toArray();
    int[] minute = IntStream.range(0, rows).map(row -> (int) (129_600L * row / rows)).toArray();
    int[] faults = random.ints(rows, 0, 1_000).toArray();
    work.column("minute", row -> minute[row]);
    work.column("device", row -> device[row]);
    work.column("site", row -> device[row] / 50);
    work.column("kind", row -> device[row] % 5);
    work.column("reading", row -> 200 * (device[row] % 5) + (int) (50 * random.nextGaussian()));
    work.column("battery", row -> 100 - (minute[row] / 1_800 + device[row] % 40) % 100);
    work.column("firmware", row -> Math.min(9, minute[row] / 20_000 + device[row] % 4));
    work.column("signal", row -> -70 + (int) (15 * random.nextGaussian()));
    work.column("fault", row -> faults[row] < 30 ? skewed(random, 20, 2) : NULL);
    work.template(
        r -> Map.of("device", in(r.nextInt(DEVICES)), "minute", window(r, 129_600, 1_440)));
    work.template(
        r -> Map.of("site", in(r.nextInt(DEVICES / 50)), "minute", window(r, 129_600, 10_080)));
    work.template(r -> Map.of("fault", between(0, 99), "minute", window(r, 129_600, 1_440)));
    work.template(r -> Map.of("fault", in(skewed(r, 20, 2))));
    work.template(r -> Map.of("fault", between(0, 99), "site", in(r.nextInt(DEVICES / 50))));
    work.template(
        r -> {
          int kind = r.nextInt(5);
          return Map.of(
              "kind", in(kind), "reading", between(200 * kind + 90 + r.nextInt(30), 9_999));
        });
    work.template(r -> Map.of("battery", between(0, 4 + r.nextInt(6))));
    work.template(r -> Map.of("firmware", in(r.nextInt(10)), "minute", window(r, 129_600, 43_200)));
    work.template(
        r -> Map.of("signal", between(-999, -105 + r.nextInt(5)), "kind", in(r.nextInt(5))));
    return work;
  }

  /** Visits to a shop's pages, as they come, most of them by few users, few of them worth money. */
  static QueryWorkload visits(int rows) {
    QueryWorkload work = new QueryWorkload("visits", rows);
    Random random = new Random(7);
    int[] kind = IntStream.range(0, rows).map(row -> skewed(random, 12, 3)).toArray();
    work.column("minute", row -> (int) (86_400L * row / rows));
    work.column("user", row -> zipf(random, 1e6));
    work.column("country", row -> skewed(random, 50, 3));
    work.column("device", row -> skewed(random, 4, 2));
    work.column("kind", row -> kind[row]);
    work.column("page", row -> skewed(random, 5_000, 4));
    work.column("seconds", row -> (int) (30 * Math.exp(1.2 * random.nextGaussian())));
    work.column(
        "revenue", row -> kind[row] < 9 ? NULL : (int) (4_000 * Math.exp(random.nextGaussian())));
    work.column("campaign", row -> random.nextInt(5) > 1 ? NULL : random.nextInt(60));
    work.template(r -> Map.of("user", in(zipf(r, 1e6))));
    work.template(
        r ->
            Map.of(
                "user", in(zipf(r, 1e6)),
                "minute", window(r, 86_400, 10_080)));
    work.template(r -> Map.of("country", in(skewed(r, 50, 3)), "minute", window(r, 86_400, 1_440)));
    work.template(r -> Map.of("kind", in(9 + r.nextInt(3)), "minute", window(r, 86_400, 10_080)));
    work.template(r -> Map.of("revenue", between(20_000 + 1_000 * r.nextInt(10), 99_999_999)));
    work.template(r -> Map.of("page", in(skewed(r, 5_000, 4)), "minute", window(r, 86_400, 1_440)));
    work.template(r -> Map.of("campaign", in(r.nextInt(60)), "kind", between(6, 11)));
    work.template(
        r -> Map.of("seconds", between(300 + 60 * r.nextInt(5), 9_999_999), "device", in(0)));
    return work;
  }

  /** A number below another, the lower ones more often. */
  private static int skewed(Random random, int end, double power) {
    return (int) (end * Math.pow(random.nextDouble(), power));
  }

  /** A number below another, as likely below 10 as from 10 to 100, and so on. */
  private static int zipf(Random random, double end) {
    return (int) Math.pow(end, random.nextDouble());
  }

  private static WordSet window(Random random, int end, int width) {
    int first = random.nextInt(end - width);
    return between(first, first + width - 1);
  }
}
