package io.hudizorder.layout.tree;

import io.hudizorder.key.WordSet;
import io.hudizorder.layout.query.Query;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Prints what queries read that a layout has not seen, in rows, under a tree cut for others of the
 * same templates, beside the plain tree by the columns that serve these best, the plain tree by all
 * that they ask, greedy qd-trees, and the least that is possible in files of as many rows each.
 * Arguments, all optional: rows, sampled rows, queries of each template, which workload (all: -1).
 * With {@code -Dtemplates=true} also for each template.
 */
public final class QueriedTreeBenchmark {
  private static final int MOST_COLUMNS = 4;

  private final long[][] table;
  private final long[][] sample;
  private final List<Query> seen;
  private final List<Query> unseen;
  private final QueryWorkload work;

  private QueriedTreeBenchmark(QueryWorkload work, int sampled, int ofEach) {
    this.work = work;
    table = work.table();
    sample = Tables.sample(table, Math.min(sampled, table[0].length), 1);
    seen = work.draw(ofEach, 1, false);
    unseen = work.draw(20, 2, true);
  }

  public static void main(String[] arguments) {
    int rows = argument(arguments, 0, 1_200_000);
    int sampled = argument(arguments, 1, 200_000);
    int ofEach = argument(arguments, 2, 20);
    int chosen = argument(arguments, 3, -1);
    System.out.printf(
        "%,d rows, %,d sampled, %d queries of each template%n", rows, sampled, ofEach);
    System.out.printf(
        "%-16s%6s | %9s%7s%7s | %6s%6s%6s%6s | %5s%5s%5s | %s%n",
        "share of rows",
        "files",
        "plain best",
        "asked",
        "linear",
        "qd .7",
        "files",
        "qd 1",
        "files",
        "ours",
        "gain",
        "seen",
        "bound, emptiest, fullest, seconds, columns");
    List<Supplier<QueryWorkload>> all = workloads(rows);
    for (int w = 0; w < all.size(); w++) {
      if (chosen < 0 || chosen == w) {
        QueriedTreeBenchmark benchmark =
            new QueriedTreeBenchmark(all.get(w).get(), sampled, ofEach);
        for (int files : new int[] {40, 400}) {
          benchmark.print(files);
        }
      }
    }
  }

  private static List<Supplier<QueryWorkload>> workloads(int rows) {
    return List.of(
        () -> PublishedWorkloads.lineitem(rows),
        () -> PublishedWorkloads.starSchema(rows),
        () -> MadeUpWorkloads.flights(rows),
        () -> MadeUpWorkloads.drifting(rows),
        () -> MadeUpWorkloads.sensors(rows),
        () -> MadeUpWorkloads.visits(rows));
  }

  private static int argument(String[] arguments, int i, int otherwise) {
    return arguments.length > i ? Integer.parseInt(arguments[i]) : otherwise;
  }

  private void print(int files) {
    double[] best = bestWeights(files);
    double plain = share(SplitTree.build(sample, best, files), unseen);
    double asked = share(SplitTree.build(sample, askedWeights(), files), unseen);
    double linear =
        IntStream.range(0, work.columns())
            .mapToDouble(c -> share(SplitTree.build(sample, only(c), files), unseen))
            .min()
            .orElseThrow();
    int mean = sample[0].length / files;
    GreedyQdTree small = new GreedyQdTree(sample, seen, (int) (0.7 * mean));
    GreedyQdTree large = new GreedyQdTree(sample, seen, mean);
    long start = System.nanoTime();
    SplitTree tree = SplitTree.build(sample, askedWeights(), files, seen);
    double seconds = (System.nanoTime() - start) / 1e9;
    double ours = share(tree, unseen);
    Forecast fill = Forecast.of(tree, table);
    System.out.printf(
        "%-16s%6d | %10.4f%7.4f%7.4f | %6.4f%5d %6.4f%5d | %.4f %5.2f %.4f | %.4f %.2f %.2f %.1fs %s%n",
        work.name(),
        files,
        plain,
        asked,
        linear,
        share(small, unseen),
        small.files(),
        share(large, unseen),
        large.files(),
        ours,
        plain / ours,
        share(tree, seen),
        bound(files),
        fill.emptiest(),
        fill.fullest(),
        seconds,
        names(best));
    if (Boolean.getBoolean("templates")) {
      printTemplates(files, SplitTree.build(sample, best, files), small, tree);
    }
  }

  private void printTemplates(int files, FileCuts plain, FileCuts greedy, FileCuts ours) {
    int each = unseen.size() / work.templates();
    for (int t = 0; t < work.templates(); t++) {
      List<Query> own = unseen.subList(t * each, (t + 1) * each);
      System.out.printf(
          "    %2d plain %.4f qd %.4f ours %.4f bound %.4f%n",
          t, share(plain, own), share(greedy, own), share(ours, own), bound(files, own));
    }
  }

  private String names(double[] weights) {
    return String.join(
        "+",
        IntStream.range(0, work.columns())
            .filter(c -> weights[c] > 0)
            .mapToObj(work::column)
            .toArray(String[]::new));
  }

  private double share(FileCuts cuts, List<Query> queries) {
    return FileReads.ofAllRows(cuts, table).share(queries);
  }

  /** Equal weights of the columns that serve the queries seen best: added one by one. */
  private double[] bestWeights(int files) {
    double[] best = new double[table.length];
    double least = Double.MAX_VALUE;
    for (int i = 0; i < MOST_COLUMNS; i++) {
      double[] longer = null;
      for (int c = 0; c < work.columns(); c++) {
        double[] tried = best.clone();
        tried[c] = 1;
        double share =
            FileReads.ofAllRows(SplitTree.build(sample, tried, files), sample).share(seen);
        if (share < least) {
          least = share;
          longer = tried;
        }
      }
      if (longer == null) {
        break;
      }
      best = longer;
    }
    return best;
  }

  private double[] only(int c) {
    double[] weights = new double[table.length];
    weights[c] = 1;
    return weights;
  }

  /** How often each column is asked. */
  private double[] askedWeights() {
    double[] weights = new double[table.length];
    for (int c = 0; c < work.columns(); c++) {
      int column = c;
      weights[c] = seen.stream().filter(query -> query.asks(column)).count();
    }
    double most = Arrays.stream(weights).max().orElseThrow();
    return Arrays.stream(weights).map(w -> w == 0 ? 0 : Math.max(0.05, w / most)).toArray();
  }

  private double bound(int files) {
    return bound(files, unseen);
  }

  /** What is read where the rows of each query fill whole files of their own. */
  private double bound(int files, List<Query> queries) {
    double sum = 0;
    for (Query query : queries) {
      double matching = 0;
      for (int row = 0; row < table[0].length; row++) {
        matching += matches(query, row) ? 1 : 0;
      }
      sum += Math.ceil(matching * files / table[0].length) / files;
    }
    return sum / queries.size();
  }

  private boolean matches(Query query, int row) {
    for (Map<Integer, WordSet> box : query.boxes()) {
      boolean all = true;
      for (Map.Entry<Integer, WordSet> asked : box.entrySet()) {
        long word = table[asked.getKey()][row];
        boolean any = false;
        for (long[] range : asked.getValue().ranges()) {
          any |=
              Long.compareUnsigned(range[0], word) <= 0
                  && Long.compareUnsigned(word, range[1]) <= 0;
        }
        all &= any;
      }
      if (all) {
        return true;
      }
    }
    return false;
  }
}
