package io.hudizorder.bench;

import java.util.Random;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The same rows for every system: {@value #COUNT} rows of random longs, seeded. */
@State(Scope.Benchmark)
public class Rows {

  /** Small enough to stay in the first-level caches, so that code is measured and not memory. */
  public static final int COUNT = 256;

  @Param({"2", "3", "4", "8"})
  public int columns;

  /** By row, then by column. */
  public long[][] values;

  @Setup
  public void draw() {
    Random random = new Random(columns);
    values = new long[COUNT][columns];
    for (long[] row : values) {
      for (int c = 0; c < columns; c++) {
        row[c] = random.nextLong();
      }
    }
  }
}
