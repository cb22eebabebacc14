package io.hudizorder.bench;

import io.hudizorder.key.Words;
import io.hudizorder.layout.Curve;
import io.hudizorder.layout.CurveOrder;
import io.hudizorder.layout.EqualCuts;
import io.hudizorder.layout.tree.FileCuts;
import io.hudizorder.layout.rank.LongRanks;
import io.hudizorder.layout.PageTiles;
import io.hudizorder.layout.RowOrder;
import io.hudizorder.layout.tree.SplitTree;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Nanoseconds a row: from direct words to ranked words, from these to a file, and from both to a
 * place in the file.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(Rows.COUNT)
public class RoutingBenchmark {

  private static final int SAMPLE_ROWS = 200_000;
  private static final int MAX_BOUNDARIES = 8_192;
  private static final double PAGES_PER_FILE = 50;

  /** Layouts of uniform words, learnt as the default options learn them. */
  @State(Scope.Benchmark)
  public static class Learnt {

    @Param({"100", "1000"})
    int files;

    long[][] words;
    long[][] wordsAndTie;
    LongRanks ranks;
    SplitTree tree;
    RowOrder tiles;
    RowOrder hilbert;
    FileCuts equal;

    @Setup
    public void learn(Rows rows) {
      Random random = new Random(1);
      long[][] sample = new long[rows.columns][];
      for (int c = 0; c < rows.columns; c++) {
        sample[c] = random.longs(SAMPLE_ROWS).map(word -> word == 0 ? 1 : word).toArray();
      }
      double[] weights = new double[rows.columns];
      Arrays.fill(weights, 1);
      ranks = LongRanks.of(sample[0], MAX_BOUNDARIES);
      tree = SplitTree.build(sample, weights, files);
      tiles = PageTiles.learn(tree, sample, weights, PAGES_PER_FILE);
      hilbert = CurveOrder.within(tree, Curve.HILBERT);
      equal = EqualCuts.build(sample, rows.columns, Curve.ZORDER, files);
      words =
          Arrays.stream(rows.values)
              .map(row -> Arrays.stream(row).map(Words::ofLong).toArray())
              .toArray(long[][]::new);
      wordsAndTie =
          Arrays.stream(words)
              .map(row -> Arrays.copyOf(row, row.length + 1))
              .toArray(long[][]::new);
    }
  }

  @Benchmark
  public void rank(Learnt learnt, Blackhole hole) {
    for (long[] row : learnt.words) {
      for (long word : row) {
        hole.consume(learnt.ranks.word(word));
      }
    }
  }

  @Benchmark
  public void tree(Learnt learnt, Blackhole hole) {
    for (long[] row : learnt.words) {
      hole.consume(learnt.tree.fileOf(row));
    }
  }

  /** The file is looked up as well, as it is needed; a place is asked for with a tie-breaker. */
  @Benchmark
  public void treeAndTiles(Learnt learnt, Blackhole hole) {
    for (long[] row : learnt.wordsAndTie) {
      hole.consume(learnt.tiles.place(learnt.tree.fileOf(row), row));
    }
  }

  @Benchmark
  public void treeAndHilbert(Learnt learnt, Blackhole hole) {
    for (long[] row : learnt.wordsAndTie) {
      hole.consume(learnt.hilbert.place(learnt.tree.fileOf(row), row));
    }
  }

  @Benchmark
  public void equalCuts(Learnt learnt, Blackhole hole) {
    for (long[] row : learnt.words) {
      hole.consume(learnt.equal.fileOf(row));
    }
  }
}
