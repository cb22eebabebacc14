package io.hudizorder.spark.sample;

import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.expression.TaskExpressions;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.functions;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A sample, in one pass, of rows that nobody has counted: drawn rows to learn layouts from, once
 * with the same chance each and once in proportion to their bytes, and fewer whole rows to measure
 * files with.
 *
 * <p>Only the hash is computed of every row; the rest, of the few that are kept.
 *
 * <p>Of many tasks each keeps less than the whole sample may have, since all that they keep is sent
 * to others. It is a sample of the same chance for each row nevertheless: the task that has thrown
 * away most sets the chance for all. So a task with more than {@link #SKEW} times as many rows as
 * the mean makes the sample smaller in proportion.
 */
public final class OnePassSample {

  /**
   * What whole rows take in memory at most, in a task and on the driver: some 50,000 rows of 300
   * bytes, enough for their dictionaries to look like those of a file.
   */
  private static final long WHOLE_ROWS_BYTES = 16L << 20;

  /** How many times its share of the sample a task keeps, and what it may keep in any case. */
  static final long SKEW = 64;

  static final long ANY_TASKS_ROWS = 20_000;
  private static final long ANY_TASKS_WHOLE_ROWS_BYTES = 1L << 20;

  private final Drawing drawing;
  private final Kept kept;

  private OnePassSample(Drawing drawing, Kept kept) {
    this.drawing = drawing;
    this.kept = kept;
  }

  /**
   * Reads all rows once.
   *
   * @param path the column that names a row's partition
   * @param hash what rows are drawn by
   * @param tie the hash that tells rows of equal values apart
   * @param values one a sort column, as {@link SortColumnSample} holds them
   * @param size rows to draw at least, twice as many at most; or all there are
   */
  public static OnePassSample draw(
      Dataset<Row> rows, Column path, Column hash, Column tie, List<Column> values, long size) {
    JavaRDD<InternalRow> stream = rows.queryExecution().toRdd().toJavaRDD();
    Capacity ofAll = new Capacity(2 * size, WHOLE_ROWS_BYTES);
    Capacity ofEach = ofAll.ofTask(stream.getNumPartitions());
    Drawing drawing = new Drawing(rows, path, hash, tie, values);
    // Parts are merged by executors down to one: the driver has room for no more.
    Kept kept =
        stream
            .mapPartitions(part -> List.of(drawing.keep(part, ofEach)).iterator())
            .treeAggregate(new Kept(ofAll), Kept::merge, Kept::merge, 2, true);
    return new OnePassSample(drawing, kept);
  }

  /**
   * What a task keeps at most.
   *
   * @param capacity of the whole sample
   * @param least what a task may keep, however many there are
   */
  static long ofTask(long capacity, int tasks, long least) {
    return Math.min(capacity, Math.max(least, SKEW * capacity / Math.max(1, tasks)));
  }

  public DrawnRows drawn() {
    return new DrawnRows(kept.drawn.items());
  }

  /** How many rows of the table a drawn row stands for. */
  public double scale() {
    return Math.scalb(1.0, kept.drawn.level());
  }

  /** Rows drawn with a chance in proportion to their bytes in memory, in the order of hashes. */
  public DrawnRows drawnByBytes() {
    List<UnsafeRow> rows = kept.byBytes.items();
    // In an order of their own: sums of fractions depend on it.
    rows.sort(Comparator.comparingLong(row -> row.getLong(DrawnRows.HASH)));
    return new DrawnRows(rows);
  }

  /** How many rows of the table one that was drawn by its bytes stands for. */
  public double scale(long bytes) {
    return Math.scalb(1.0, Math.max(0, kept.byBytes.level() - boost(bytes)));
  }

  /** A row of twice the bytes is drawn with twice the chance. */
  private static int boost(long bytes) {
    return Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes);
  }

  /** Rows with all columns, in no particular order. */
  public List<UnsafeRow> whole() {
    return kept.whole.items();
  }

  /** How often the table was halved down to the whole rows; 0 when they are all its rows. */
  public int halvings() {
    return kept.whole.level();
  }

  /** The drawn forms of the whole rows, in the same order. */
  public DrawnRows drawnOfWhole() {
    UnsafeProjection projection = drawing.drawnRow();
    return new DrawnRows(
        whole().stream().map(row -> drawing.drawn(projection, row)).collect(Collectors.toList()));
  }

  /** Whether a hash, of a whole row, is of that half of them which a smaller sample would keep. */
  public boolean inHalf(long hash) {
    return AdaptiveSample.zeros(hash) > kept.whole.level();
  }

  /** Rows of two hashes, partition path, bytes of the whole row in memory, and values. */
  public static final class DrawnRows {
    private static final int HASH = 0;
    private static final int PATH = 1;
    private static final int BYTES = 2;
    private static final int TIE = 3;
    private static final int VALUES = 4;

    private final List<UnsafeRow> rows;

    private DrawnRows(List<UnsafeRow> rows) {
      this.rows = rows;
    }

    public int size() {
      return rows.size();
    }

    public long hash(int row) {
      return rows.get(row).getLong(HASH);
    }

    public UTF8String path(int row) {
      return rows.get(row).getUTF8String(PATH);
    }

    public long bytes(int row) {
      return rows.get(row).getLong(BYTES);
    }

    public SortColumnSample sample(List<SortColumn> columns, boolean ranked) {
      return SortColumnSample.of(rows, TIE, VALUES, columns, ranked);
    }
  }

  /** How many drawn rows, and bytes of whole ones, are kept at most; travels to the tasks. */
  private static final class Capacity implements Serializable {
    private static final long serialVersionUID = 1L;

    private final long rows;
    private final long wholeBytes;

    Capacity(long rows, long wholeBytes) {
      this.rows = rows;
      this.wholeBytes = wholeBytes;
    }

    /** That of each of so many tasks. */
    Capacity ofTask(int tasks) {
      return new Capacity(
          OnePassSample.ofTask(rows, tasks, ANY_TASKS_ROWS),
          OnePassSample.ofTask(wholeBytes, tasks, ANY_TASKS_WHOLE_ROWS_BYTES));
    }
  }

  /** What is kept of a part of the table. */
  private static final class Kept implements Serializable {
    private static final long serialVersionUID = 1L;

    private final AdaptiveSample<UnsafeRow> drawn;
    private final AdaptiveSample<UnsafeRow> byBytes;
    private final AdaptiveSample<UnsafeRow> whole;

    Kept(Capacity most) {
      this.drawn = new AdaptiveSample<>(most.rows);
      this.byBytes = new AdaptiveSample<>(most.rows);
      this.whole = new AdaptiveSample<>(most.wholeBytes);
    }

    Kept merge(Kept other) {
      drawn.merge(other.drawn);
      byBytes.merge(other.byBytes);
      whole.merge(other.whole);
      return this;
    }
  }

  /** The columns of a drawn row over those of the table; travels to the tasks. */
  private static final class Drawing implements Serializable {
    private static final long serialVersionUID = 1L;

    private final TaskExpressions columns;

    Drawing(Dataset<Row> rows, Column path, Column hash, Column tie, List<Column> values) {
      List<Column> drawn = new ArrayList<>(List.of(hash, path, functions.lit(0L), tie));
      drawn.addAll(values);
      this.columns = TaskExpressions.of(rows, drawn);
    }

    Kept keep(Iterator<InternalRow> rows, Capacity most) {
      Kept kept = new Kept(most);
      UnsafeProjection hashOf = columns.first();
      UnsafeProjection drawnRow = drawnRow();
      UnsafeProjection wholeRow = columns.input();
      while (rows.hasNext()) {
        InternalRow row = rows.next();
        long hash = hashOf.apply(row).getLong(0);
        UnsafeRow whole = row instanceof UnsafeRow ? (UnsafeRow) row : wholeRow.apply(row);
        int bytes = whole.getSizeInBytes();
        boolean wantsDrawn = kept.drawn.wants(hash, 0);
        boolean wantsByBytes = kept.byBytes.wants(hash, boost(bytes));
        if (wantsDrawn || wantsByBytes) {
          UnsafeRow drawn = drawn(drawnRow, whole);
          if (wantsDrawn) {
            kept.drawn.add(hash, 0, 1, drawn);
          }
          if (wantsByBytes) {
            kept.byBytes.add(hash, boost(bytes), 1, drawn);
          }
        }
        if (kept.whole.wants(hash, 0)) {
          kept.whole.add(hash, 0, bytes, whole.copy());
        }
      }
      return kept;
    }

    UnsafeProjection drawnRow() {
      return columns.projection();
    }

    UnsafeRow drawn(UnsafeProjection projection, UnsafeRow whole) {
      UnsafeRow drawn = projection.apply(whole);
      drawn.setLong(DrawnRows.BYTES, whole.getSizeInBytes());
      return drawn.copy();
    }
  }
}
