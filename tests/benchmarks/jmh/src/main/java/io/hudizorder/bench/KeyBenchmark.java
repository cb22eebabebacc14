package io.hudizorder.bench;

import io.hudizorder.key.Hilbert;
import io.hudizorder.key.Words;
import io.hudizorder.key.ZValue;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.hudi.common.util.BinaryUtil;
import org.apache.iceberg.util.ZOrderByteUtils;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Nanoseconds a row: values to words or bytes, and these to keys, by each system's own functions.
 *
 * <p>Each system begins with the form its own first step leaves: longs here, byte arrays of eight
 * there. Iceberg writes into one buffer that it uses again, as its Spark function does.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(Rows.COUNT)
public class KeyBenchmark {

  /** The rows after each system's own first step. */
  @State(Scope.Benchmark)
  public static class Encoded {
    long[][] words;
    byte[][][] hudi;
    byte[][][] iceberg;
    ByteBuffer[] icebergValues;
    ByteBuffer icebergKey;

    @Setup
    public void encode(Rows rows) {
      words = new long[Rows.COUNT][rows.columns];
      hudi = new byte[Rows.COUNT][rows.columns][];
      iceberg = new byte[Rows.COUNT][rows.columns][];
      icebergValues = new ByteBuffer[rows.columns];
      icebergKey = ByteBuffer.allocate(Long.BYTES * rows.columns);
      for (int c = 0; c < rows.columns; c++) {
        icebergValues[c] = ByteBuffer.allocate(Long.BYTES);
      }
      for (int r = 0; r < Rows.COUNT; r++) {
        for (int c = 0; c < rows.columns; c++) {
          long value = rows.values[r][c];
          words[r][c] = Words.ofLong(value);
          hudi[r][c] = BinaryUtil.longTo8Byte(value);
          iceberg[r][c] =
              ZOrderByteUtils.longToOrderedBytes(value, ByteBuffer.allocate(Long.BYTES)).array();
        }
      }
    }
  }

  @Benchmark
  public void wordsOurs(Rows rows, Blackhole hole) {
    for (long[] row : rows.values) {
      long[] words = new long[row.length];
      for (int c = 0; c < row.length; c++) {
        words[c] = Words.ofLong(row[c]);
      }
      hole.consume(words);
    }
  }

  @Benchmark
  public void wordsHudi(Rows rows, Blackhole hole) {
    for (long[] row : rows.values) {
      byte[][] bytes = new byte[row.length][];
      for (int c = 0; c < row.length; c++) {
        bytes[c] = BinaryUtil.longTo8Byte(row[c]);
      }
      hole.consume(bytes);
    }
  }

  @Benchmark
  public void wordsIceberg(Rows rows, Encoded encoded, Blackhole hole) {
    for (long[] row : rows.values) {
      byte[][] bytes = new byte[row.length][];
      for (int c = 0; c < row.length; c++) {
        bytes[c] = ZOrderByteUtils.longToOrderedBytes(row[c], encoded.icebergValues[c]).array();
      }
      hole.consume(bytes);
    }
  }

  @Benchmark
  public void interleaveOurs(Encoded encoded, Blackhole hole) {
    for (long[] row : encoded.words) {
      hole.consume(ZValue.interleave(row));
    }
  }

  @Benchmark
  public void interleaveHudi(Encoded encoded, Blackhole hole) {
    for (byte[][] row : encoded.hudi) {
      hole.consume(BinaryUtil.interleaving(row, Long.BYTES));
    }
  }

  @Benchmark
  public void interleaveIceberg(Encoded encoded, Blackhole hole) {
    ByteBuffer key = encoded.icebergKey;
    for (byte[][] row : encoded.iceberg) {
      hole.consume(ZOrderByteUtils.interleaveBits(row, key.capacity(), key));
    }
  }

  @Benchmark
  public void hilbertOurs(Encoded encoded, Blackhole hole) {
    for (long[] row : encoded.words) {
      hole.consume(Hilbert.key(row));
    }
  }

  /** What the sort of ranked words uses in place of the whole key. */
  @Benchmark
  public void leadingBitsOurs(Encoded encoded, Blackhole hole) {
    for (long[] row : encoded.words) {
      hole.consume(ZValue.leadingBits(row));
    }
  }

  @Benchmark
  public void hilbertLeadingBitsOurs(Encoded encoded, Blackhole hole) {
    for (long[] row : encoded.words) {
      hole.consume(Hilbert.leadingBits(row, 64));
    }
  }
}
