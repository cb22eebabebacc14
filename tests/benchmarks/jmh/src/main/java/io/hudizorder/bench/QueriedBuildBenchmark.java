package io.hudizorder.bench;

import io.hudizorder.key.WordSet;
import io.hudizorder.layout.query.Query;
import io.hudizorder.layout.tree.SplitTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Seconds to cut a tree for known queries on one core, with nothing warmed up, from as many sampled
 * rows as a clustering takes for so many files.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(value = 3, jvmArgsAppend = {"-Xmx3g", "-XX:ActiveProcessorCount=1"})
public class QueriedBuildBenchmark {

  private static final int COLUMNS = 100;

  /** A sample of uniform words, and queries of which few columns get most. */
  @State(Scope.Benchmark)
  public static class Sample {

    @Param({"10000"})
    int queries;

    @Param({"1000"})
    int files;

    @Param({"250000"})
    int rows;

    long[][] words;
    double[] weights;
    List<Query> asked;

    @Setup
    public void draw() {
      Random random = new Random(1);
      words = new long[COLUMNS + 1][];
      for (int c = 0; c <= COLUMNS; c++) {
        words[c] = random.longs(rows).toArray();
        if (c % 3 == 1) { // Every third column has few values.
          words[c] = Arrays.stream(words[c]).map(word -> word & 0xFFL << 56 | 1).toArray();
        }
      }
      weights = new double[COLUMNS + 1];
      asked = new ArrayList<>();
      while (asked.size() < queries) {
        Map<Integer, WordSet> box = new HashMap<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
          int c = (int) (COLUMNS * Math.pow(random.nextDouble(), 3));
          double share = Math.pow(10, -3 * random.nextDouble());
          double low = (1 - share) * random.nextDouble();
          box.put(c, WordSet.range(word(low), word(low + share)));
          weights[c] += 1.0 / queries;
        }
        asked.add(new Query(1, List.of(box)));
      }
    }

    /** The word below which a share of all words lies. */
    private static long word(double share) {
      return Math.max(1, (long) (share * 0x1p63) << 1);
    }
  }

  @Benchmark
  public SplitTree queriedTree(Sample sample) {
    return SplitTree.build(sample.words, sample.weights, sample.files, sample.asked);
  }
}
