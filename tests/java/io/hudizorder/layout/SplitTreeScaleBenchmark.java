package io.hudizorder.layout;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * Builds the largest model there should ever be, 100,000 files by 8 columns, and prints what it
 * costs. Arguments, both optional: files, sampled rows.
 */
public final class SplitTreeScaleBenchmark {
  private static final int COLUMNS = 8;
  private static final int MAX_BOUNDARIES = 65_536;

  private SplitTreeScaleBenchmark() {}

  public static void main(String[] arguments) throws IOException {
    int files = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 100_000;
    int rows = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20 * files;
    Random random = new Random(1);
    long[][] sample = new long[COLUMNS + 1][rows];
    double[] weights = new double[COLUMNS + 1];
    for (int c = 0; c <= COLUMNS; c++) {
      weights[c] = c < COLUMNS ? 1 : 0;
      for (int row = 0; row < rows; row++) {
        sample[c][row] = random.nextLong() | 1;
      }
    }
    System.out.printf("%,d files, %d columns, %,d sampled rows%n", files, COLUMNS, rows);

    long start = cpu();
    LongRanks[] ranks = new LongRanks[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
      ranks[c] = LongRanks.of(sample[c], MAX_BOUNDARIES);
      for (int row = 0; row < rows; row++) {
        sample[c][row] = ranks[c].word(sample[c][row]);
      }
    }
    System.out.printf("ranks:   %6.2f s, %,d bytes serialized%n", seconds(start), bytes(ranks));

    start = cpu();
    SplitTree tree = SplitTree.build(sample, weights, files);
    System.out.printf(
        "tree:    %6.2f s, %,d bytes serialized, %,d files%n",
        seconds(start), bytes(tree), tree.files());

    rankText(1_000_000);
    long[] words = new long[COLUMNS + 1];
    long checksum = 0;
    int routed = 10_000_000;
    start = cpu();
    for (int row = 0; row < routed; row++) {
      for (int c = 0; c <= COLUMNS; c++) {
        words[c] = sample[c][row % rows];
      }
      checksum += tree.fileOf(words);
    }
    System.out.printf(
        "routing: %6.1f ns a row (checksum %d)%n", 1e9 * seconds(start) / routed, checksum);
  }

  private static void rankText(int rows) throws IOException {
    Random random = new Random(2);
    byte[][] values = new byte[rows][];
    for (int row = 0; row < rows; row++) {
      values[row] =
          ("https://shop.example/item/" + random.nextInt()).getBytes(StandardCharsets.UTF_8);
    }
    BytesRanks ranks = BytesRanks.of(values, MAX_BOUNDARIES);
    System.out.printf("text:    %,d bytes serialized%n", bytes(ranks));
    long checksum = 0;
    for (int pass = 0; pass < 3; pass++) {
      long start = cpu();
      for (byte[] value : values) {
        checksum += ranks.word(value);
      }
      System.out.printf(
          "text:    %6.1f ns a value (checksum %d)%n", 1e9 * seconds(start) / rows, checksum);
    }
  }

  /** CPU time of this thread: the machine may be busy. */
  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static double seconds(long start) {
    return (cpu() - start) / 1e9;
  }

  private static long bytes(Serializable model) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(model);
    }
    return bytes.size();
  }
}
