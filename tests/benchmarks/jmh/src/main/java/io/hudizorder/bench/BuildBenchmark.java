package io.hudizorder.bench;

import io.hudizorder.layout.Layout;
import io.hudizorder.layout.PageTiles;
import io.hudizorder.layout.tree.SplitTree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Seconds to build a tree and the tiles of its files on one core, with nothing warmed up, and the
 * bytes of the model.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(value = 3, jvmArgsAppend = "-Xmx3g")
public class BuildBenchmark {

  private static final int COLUMNS = 8;
  private static final double PAGES_PER_FILE = 50;

  /** A sample of uniform words. */
  @State(Scope.Benchmark)
  public static class Sample {

    @Param({"1000", "100000"})
    int files;

    @Param({"4000000"})
    int rows;

    long[][] words;

    @Setup
    public void draw() {
      Random random = new Random(1);
      words = new long[COLUMNS][];
      for (int c = 0; c < COLUMNS; c++) {
        words[c] = random.longs(rows).toArray();
      }
    }
  }

  /** The size of the model, as executors receive it. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Model {

    public long modelBytes;

    private Layout layout;

    @TearDown(Level.Iteration)
    public void measure() throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
        out.writeObject(layout);
      }
      modelBytes = bytes.size();
    }
  }

  @Benchmark
  public Layout tree(Sample sample, Model model) {
    double[] weights = new double[COLUMNS];
    Arrays.fill(weights, 1);
    SplitTree tree = SplitTree.build(sample.words, weights, sample.files);
    PageTiles tiles = PageTiles.learn(tree, sample.words, weights, PAGES_PER_FILE);
    model.layout = new Layout(tree, tiles);
    return model.layout;
  }
}
