package io.hudizorder.spark.sample;

import io.hudizorder.spark.NamedColumn;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.expression.RowHash;
import io.hudizorder.spark.expression.WordColumns;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/**
 * A bounded, repeatable sample of a group's rows: of each row the comparable form of its sort
 * columns and its hash.
 *
 * <p>A row is in the sample when the hash of its identity (its record key) falls below a threshold.
 * The sample therefore depends on the set of rows, the seed and the size alone, not on how the rows
 * are filed, which task read them, or whether a task ran twice.
 */
public final class SortColumnSample {

  /** About what the driver gives to the bytes of a sample, and the bounds of a value's share. */
  private static final long VALUE_BYTES = 256L << 20;

  /** What the driver collects of a sample at most, below Spark's limit of 1 GB for results. */
  private static final long RESULT_BYTES = 640L << 20;

  /** What a collected row takes besides its words, about. */
  private static final int ROW_BYTES = 96;

  private static final int FEWEST_BYTES = 64;
  private static final int MOST_BYTES = 1024;

  /** By sort column: its direct words; null of a wide one whose ranks are to be learnt. */
  private final long[][] words;

  /** By sort column: the ordered bytes of a wide one whose ranks are to be learnt, else null. */
  private final byte[][][] bytes;

  private final long[] hashes;

  /** What each row takes in files; none where that was not asked for. */
  private final double[] rowBytes;

  private SortColumnSample(long[][] words, byte[][][] bytes, long[] hashes, double[] rowBytes) {
    this.words = words;
    this.bytes = bytes;
    this.hashes = hashes;
    this.rowBytes = rowBytes;
  }

  /**
   * Draws a sample.
   *
   * @param rows at least the sort columns and the identity columns
   * @param ranked whether ranks are to be learnt, which takes more than a wide column's word
   * @param identity the columns that tell rows apart
   * @param estimatedRows about how many rows there are; a wrong estimate makes the sample larger or
   *     smaller in proportion
   * @param size how many rows to aim at; all are taken when there are no more
   * @param widths tell how large a sampled row is; {@code rows} has their columns, too
   */
  public static SortColumnSample draw(
      Dataset<Row> rows,
      List<SortColumn> columns,
      boolean ranked,
      List<Column> identity,
      long seed,
      long estimatedRows,
      long size,
      RowWidths widths) {
    Column hash = RowHash.of(identity, seed);
    List<Column> selected = new ArrayList<>();
    selected.add(hash);
    selected.addAll(values(columns, ranked, size));
    widths.columns().forEach(column -> selected.add(NamedColumn.of(column)));
    Dataset<Row> sampled = rows;
    if (size < estimatedRows) {
      sampled = rows.where(hash.lt(threshold(size, estimatedRows)));
    }
    Dataset<Row> chosen = sampled.select(selected.toArray(new Column[0]));
    StructType schema = chosen.schema();
    List<InternalRow> drawn =
        chosen
            .queryExecution()
            .toRdd()
            .toJavaRDD()
            .mapPartitions(part -> widths.measure(part, schema))
            .collect();
    SortColumnSample sample = of(drawn, 0, 1, columns, ranked);
    int last = 1 + columns.size();
    double[] rowBytes = drawn.stream().mapToDouble(row -> row.getDouble(last)).toArray();
    return new SortColumnSample(sample.words, sample.bytes, sample.hashes, rowBytes);
  }

  /** Sampled are the rows whose hash lies below this. */
  public static long threshold(long size, long estimatedRows) {
    // The hash is uniform over the signed longs: keep its lowest size / estimatedRows share.
    return (long) (Long.MIN_VALUE + Math.min(1, (double) size / estimatedRows) * 0x1p64);
  }

  /**
   * The sample of rows whose values are at hand.
   *
   * @param words by sort column, then by row; null of wide columns whose ranks are to be learnt
   * @param bytes their ordered bytes; null of the other columns
   */
  public static SortColumnSample of(long[][] words, byte[][][] bytes, long[] hashes) {
    return new SortColumnSample(words, bytes, hashes, new double[0]);
  }

  /**
   * The sample of rows that were drawn.
   *
   * @param hash where a row has its hash
   * @param values where it has the comparable form of its first sort column; the others follow
   */
  public static SortColumnSample of(
      List<? extends InternalRow> rows,
      int hash,
      int values,
      List<SortColumn> columns,
      boolean ranked) {
    int count = rows.size();
    long[] hashes = new long[count];
    for (int r = 0; r < count; r++) {
      hashes[r] = rows.get(r).getLong(hash);
    }
    long[][] words = new long[columns.size()][];
    byte[][][] bytes = new byte[columns.size()][][];
    for (int c = 0; c < columns.size(); c++) {
      if (ranked && columns.get(c).wide()) {
        bytes[c] = new byte[count][];
        for (int r = 0; r < count; r++) {
          InternalRow row = rows.get(r);
          bytes[c][r] = row.isNullAt(values + c) ? null : row.getBinary(values + c);
        }
      } else {
        words[c] = new long[count];
        for (int r = 0; r < count; r++) {
          words[c][r] = rows.get(r).getLong(values + c);
        }
      }
    }
    return of(words, bytes, hashes);
  }

  /**
   * What is drawn of each sort column. Of long strings the beginning: it has their order, and the
   * driver has room for so many rows of it.
   */
  public static List<Column> values(List<SortColumn> columns, boolean ranked, long rows) {
    if (!ranked) {
      return columns.stream().map(WordColumns::direct).collect(Collectors.toList());
    }
    int bytes = mostBytes(columns, rows);
    return columns.stream()
        .map(column -> WordColumns.comparable(column, bytes))
        .collect(Collectors.toList());
  }

  /** No more rows than the driver has room for, once {@link #values} has cut them short. */
  public static long atMost(long rows, List<SortColumn> columns, boolean ranked) {
    long room = RESULT_BYTES / (ROW_BYTES + (long) Long.BYTES * columns.size());
    return Math.min(rows, ranked ? Math.min(room, valueBytes(columns) / FEWEST_BYTES) : room);
  }

  /**
   * Bytes that the driver holds of a sample at most, about: rows as they are collected, and again
   * as a layout is learnt from them.
   *
   * @param widths tell how long values are; where they do not, values are as long as may be
   */
  public static long memory(long rows, List<SortColumn> columns, boolean ranked, RowWidths widths) {
    double row = ROW_BYTES + (double) Long.BYTES * columns.size();
    if (ranked) {
      int most = mostBytes(columns, rows);
      row +=
          columns.stream()
              .filter(SortColumn::wide)
              .mapToDouble(column -> widths.raw(column.root()).orElse(most))
              .map(raw -> Math.min(most, Math.max(FEWEST_BYTES, raw)))
              .sum();
    }
    return (long) (2 * rows * row);
  }

  /** What is drawn of a value of a wide column at most. */
  private static int mostBytes(List<SortColumn> columns, long rows) {
    return (int)
        Math.max(FEWEST_BYTES, Math.min(MOST_BYTES, valueBytes(columns) / Math.max(1, rows)));
  }

  /** What the driver gives to each wide column. */
  private static long valueBytes(List<SortColumn> columns) {
    return VALUE_BYTES / Math.max(1, columns.stream().filter(SortColumn::wide).count());
  }

  /** How many rows were drawn. */
  public int rows() {
    return hashes.length;
  }

  /** What each row takes in files, about, where widths said how to tell. */
  public double[] rowBytes() {
    return rowBytes;
  }

  /** The direct words of a column, one a row; not of a wide column whose ranks are to be learnt. */
  public long[] words(int column) {
    return words[column];
  }

  /** The ordered bytes of a wide column whose ranks are to be learnt, one a row, null for null. */
  public byte[][] bytes(int column) {
    return bytes[column];
  }

  /** The tie-breaking words, one a row. */
  public long[] ties() {
    long[] ties = new long[hashes.length];
    for (int r = 0; r < ties.length; r++) {
      ties[r] = RowHash.tie(hashes[r]);
    }
    return ties;
  }
}
