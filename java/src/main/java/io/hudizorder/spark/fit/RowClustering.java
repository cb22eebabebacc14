package io.hudizorder.spark.fit;

import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.spark.NamedColumn;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.expression.RowHash;
import io.hudizorder.spark.sample.DriverRoom;
import io.hudizorder.spark.sample.OnePassSample;
import io.hudizorder.spark.sample.RowWidths;
import io.hudizorder.spark.sample.SortColumnSample;
import io.hudizorder.spark.shuffle.FittedLayout;
import io.hudizorder.spark.shuffle.RowShuffle;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntBiFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructType;

/**
 * Lays rows out as a {@link LayoutSpec} asks: learn a layout from a sample, then bring every row to
 * its file and its place in it.
 */
public final class RowClustering {

  /**
   * Sampled rows a file: with 250 the share of rows a file gets is known to about 6 %, so that the
   * fullest and emptiest of a hundred files stay well within 0.7 to 1.4 of the mean.
   */
  static final long SAMPLE_ROWS_PER_FILE = 250;

  /** What the driver holds at most; of 8 columns some 600 MB as collected, and as much as words. */
  static final long MAX_SAMPLE_ROWS = 4_000_000;

  /** Of rows that nobody has counted: two samples, each of up to twice the size. */
  private static final int MOST_DRAWN = 4;

  private final LayoutSpec spec;
  private final List<SortColumn> columns;
  private final List<Column> identity;
  private final List<Column> ties;

  /**
   * @param identity names of the columns that tell rows apart; where it fails to, as a bulk insert
   *     may write a record key twice, the sort columns help
   */
  public RowClustering(LayoutSpec spec, List<SortColumn> columns, List<String> identity) {
    this.spec = spec;
    this.columns = List.copyOf(columns);
    this.identity = identity(identity, columns);
    this.ties = this.identity;
  }

  /**
   * The same of rows that may be made anew while they are shuffled. What tells such rows apart may
   * be another then, which is good enough to sample them by; but where a row goes must not change.
   *
   * @param ties names of the columns that share out rows of equal values among files
   */
  public RowClustering(
      LayoutSpec spec, List<SortColumn> columns, List<String> identity, List<String> ties) {
    this.spec = spec;
    this.columns = List.copyOf(columns);
    this.identity = identity(identity, columns);
    this.ties = ties.stream().map(NamedColumn::of).collect(Collectors.toList());
  }

  /** What rows are sampled by. */
  static List<Column> identity(List<String> names, List<SortColumn> columns) {
    return Stream.concat(
            names.stream().map(NamedColumn::of), columns.stream().map(SortColumn::column))
        .collect(Collectors.toList());
  }

  /**
   * Fits a layout to a sample of the rows: files of as many rows each.
   *
   * @param rows at least the sort columns, the identity columns, and those of the widths
   * @param estimatedRows about how many rows there are
   * @param counted whether there are just so many
   * @param files how many files to fill, at least 1
   * @param widths what tells how large a row is
   * @return none where files would differ clearly in bytes, or there are clearly more rows or
   *     fewer; {@link #fitByBytes} knows what to do
   */
  public Optional<FittedLayout> fit(
      Dataset<Row> rows, long estimatedRows, boolean counted, int files, RowWidths widths) {
    long size = sampleRows(spec, columns, files);
    long expected = Math.min(size, estimatedRows);
    return DriverRoom.here()
        .taking(
            SortColumnSample.memory(expected, columns, spec.ranked(), widths),
            () -> {
              SortColumnSample sample = draw(rows, estimatedRows, size, widths);
              if (!counted && FitByRows.differ(sample.rows(), expected)) {
                return Optional.empty();
              }
              return FitByRows.fit(
                  spark(rows), sample, columns, spec, estimatedRows, files, widths);
            });
  }

  /**
   * Fits a layout to a sample of rows that nobody has counted, or that differ in size: files of as
   * many bytes each.
   *
   * @param rows all columns
   * @param planned about how many files there will be
   * @param files how many to fill, given the bytes that all rows add to them and what a file costs
   * @param widths tell how long values are
   * @param encoder gives the bytes of a file of rows of the table
   */
  public FittedLayout fitByBytes(
      Dataset<Row> rows,
      int planned,
      RowWidths widths,
      ToIntBiFunction<FileBytes, Double> files,
      ToLongFunction<List<InternalRow>> encoder) {
    long size = sampleRows(spec, columns, planned);
    return DriverRoom.here()
        .taking(
            SortColumnSample.memory(mostDrawn(size), columns, spec.ranked(), widths),
            () ->
                FitByBytes.fitGroup(
                    spark(rows),
                    draw(rows, functions.lit(""), size),
                    columns,
                    spec,
                    files,
                    encoder));
  }

  /**
   * Fits a layout to each partition of a table, whose rows are not counted; reads them once.
   *
   * @param rows all columns
   * @param encoder gives the bytes of a file of rows of the table
   */
  public FittedLayout fitPartitions(
      Dataset<Row> rows, PartitionTargets targets, ToLongFunction<List<InternalRow>> encoder) {
    OnePassSample sample = draw(rows, NamedColumn.of(targets.column), spec.sampleSize());
    return FitByBytes.fitPartitions(
        spark(rows), sample, columns, spec, rows.schema(), targets, encoder);
  }

  private SortColumnSample draw(
      Dataset<Row> rows, long estimatedRows, long size, RowWidths widths) {
    return SortColumnSample.draw(
        rows, columns, spec.ranked(), identity, spec.seed(), estimatedRows, size, widths);
  }

  private OnePassSample draw(Dataset<Row> rows, Column path, long size) {
    long room = mostDrawn(size);
    return OnePassSample.draw(
        rows,
        path,
        RowHash.of(identity, spec.seed()),
        RowHash.of(ties, spec.seed()),
        SortColumnSample.values(columns, spec.ranked(), room),
        room / MOST_DRAWN);
  }

  private long mostDrawn(long size) {
    return SortColumnSample.atMost(MOST_DRAWN * size, columns, spec.ranked());
  }

  private static JavaSparkContext spark(Dataset<Row> rows) {
    return JavaSparkContext.fromSparkContext(rows.sparkSession().sparkContext());
  }

  /** How many rows a layout of one file is learnt from: of no more, all. */
  public long wholeSample() {
    return sampleRows(spec, columns, 1);
  }

  /**
   * What a task needs to bring rows into the order of their only file.
   *
   * @param schema of the rows
   */
  public OneFileOrder oneFileOrder(SparkSession spark, StructType schema) {
    return OneFileOrder.of(spark, spec, columns, identity, schema);
  }

  /** How many rows a layout of so many files is learnt from. */
  static long sampleRows(LayoutSpec spec, List<SortColumn> columns, int files) {
    long wanted = Math.min(MAX_SAMPLE_ROWS, SAMPLE_ROWS_PER_FILE * files);
    return SortColumnSample.atMost(Math.max(spec.sampleSize(), wanted), columns, spec.ranked());
  }

  /** Routes, shuffles and sorts the rows; see {@link RowShuffle#arrange}. */
  public Dataset<Row> arrange(
      Dataset<Row> rows, FittedLayout layout, Map<String, String> constants) {
    return laidOut(layout).arrange(rows, constants);
  }

  /** The same for a writer that takes rows; see {@link RowShuffle#arrangeRows}. */
  public JavaRDD<InternalRow> arrangeRows(
      Dataset<Row> rows, FittedLayout layout, Map<String, String> constants) {
    return laidOut(layout).arrangeRows(rows, constants);
  }

  private RowShuffle laidOut(FittedLayout layout) {
    return new RowShuffle(columns, identity, ties, spec.seed(), layout);
  }
}
