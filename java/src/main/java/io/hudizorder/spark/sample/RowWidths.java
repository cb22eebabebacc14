package io.hudizorder.spark.sample;

import io.hudizorder.spark.SparkCalls;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * What the rows of a group take in its files: columns of values that may differ in length, and what
 * a byte of these is compressed to. All other columns take as much of one row as of the next.
 */
public final class RowWidths implements Serializable {

  private static final long serialVersionUID = 1L;

  /** Of no row: nothing is to be read for them. */
  public static final RowWidths UNKNOWN = new RowWidths(0, Map.of());

  /**
   * The least of a file that matters: what all values of a column take, were they to meet in one
   * file.
   */
  private static final double LEAST_SHARE = 0.25;

  /** What Parquet writes before a value of variable length. */
  private static final int PREFIX = 4;

  /** In files, and in files before compression. */
  public static final class Bytes implements Serializable {
    private static final long serialVersionUID = 1L;

    private final double compressed;
    private final double raw;

    public Bytes(double compressed, double raw) {
      this.compressed = compressed;
      this.raw = raw;
    }

    public Bytes over(double rows) {
      return new Bytes(compressed / rows, raw / rows);
    }

    public Bytes plus(Bytes other) {
      return new Bytes(compressed + other.compressed, raw + other.raw);
    }
  }

  private final double mean;
  private final Map<String, Bytes> columns;

  /** Of all columns, also of those that make no file larger than others. */
  private final Map<String, Bytes> known;

  /**
   * States widths.
   *
   * @param mean bytes of a row in files
   * @param columns for each top-level column of variable length what a row has of it in the mean
   */
  public RowWidths(double mean, Map<String, Bytes> columns) {
    this(mean, columns, columns);
  }

  private RowWidths(double mean, Map<String, Bytes> columns, Map<String, Bytes> known) {
    this.mean = mean;
    this.columns = new LinkedHashMap<>(columns);
    this.known = new HashMap<>(known);
  }

  /** The columns that might make one of so many files larger than others. */
  public RowWidths among(int files) {
    return new RowWidths(
        mean,
        columns.entrySet().stream()
            .filter(column -> column.getValue().compressed * files >= LEAST_SHARE * mean)
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, LinkedHashMap::new)),
        known);
  }

  /** Bytes of a row in files. */
  public double mean() {
    return mean;
  }

  /** Names of top-level columns. */
  public List<String> columns() {
    return List.copyOf(columns.keySet());
  }

  /**
   * Bytes that a row has of a top-level column before compression: none where nobody knows, 0 of
   * one whose values a dictionary has.
   */
  OptionalDouble raw(String column) {
    if (mean == 0) {
      return OptionalDouble.empty();
    }
    return OptionalDouble.of(known.containsKey(column) ? known.get(column).raw : 0);
  }

  public boolean isEmpty() {
    return columns.isEmpty();
  }

  /**
   * Rows in which the last fields are replaced by the bytes the whole row takes in files.
   *
   * @param rows in Spark's binary format: some fields, and after them those of {@link #columns}
   */
  Iterator<InternalRow> measure(Iterator<InternalRow> rows, StructType schema) {
    int kept = schema.length() - columns.size();
    double[] rates =
        columns.values().stream().mapToDouble(bytes -> bytes.compressed / bytes.raw).toArray();
    double others = mean - columns.values().stream().mapToDouble(bytes -> bytes.compressed).sum();
    UnsafeProjection projection = projection(schema, kept);
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return rows.hasNext();
      }

      @Override
      public InternalRow next() {
        UnsafeRow row = (UnsafeRow) rows.next();
        double bytes = others;
        for (int c = 0; c < rates.length; c++) {
          // A field of variable length holds its offset, and in the lower half its length.
          bytes += row.isNullAt(kept + c) ? 0 : rates[c] * (PREFIX + (int) row.getLong(kept + c));
        }
        UnsafeRow measured = projection.apply(row).copy();
        measured.setDouble(kept, bytes);
        return measured;
      }
    };
  }

  private static UnsafeProjection projection(StructType schema, int kept) {
    List<Expression> fields =
        IntStream.range(0, kept)
            .mapToObj(i -> new BoundReference(i, schema.apply(i).dataType(), true))
            .collect(Collectors.toList());
    fields.add(Literal.create(0.0, DataTypes.DoubleType));
    return SparkCalls.here().projection(fields, List.of());
  }
}
