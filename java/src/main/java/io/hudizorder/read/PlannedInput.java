package io.hudizorder.read;

import io.hudizorder.plan.GroupTarget;
import io.hudizorder.spark.fit.FileBytes;
import io.hudizorder.spark.sample.RowWidths;
import java.util.List;
import java.util.function.ToLongFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;

/** A group's rows, with what is known of their bytes before they are read. */
public final class PlannedInput implements GroupInput {

  /** How full files may be in the mean before a plan's number of them is overruled. */
  private static final double FULLEST = 1.25;

  /** How empty, where there are several. */
  private static final double EMPTIEST = 0.6;

  private final GroupInput input;
  private final long estimatedRows;
  private final boolean counted;
  private final RowWidths widths;
  private final GroupTarget target;
  private final ToLongFunction<List<InternalRow>> encoder;

  /**
   * @param estimatedRows about how many there are, 0 where nobody knows
   * @param counted whether there are just so many
   * @param widths of the rows, where footers tell; else unknown
   * @param encoder gives the bytes of a file of rows
   */
  PlannedInput(
      GroupInput input,
      long estimatedRows,
      boolean counted,
      RowWidths widths,
      GroupTarget target,
      ToLongFunction<List<InternalRow>> encoder) {
    this.input = input;
    this.estimatedRows = estimatedRows;
    this.counted = counted;
    this.widths = widths;
    this.target = target;
    this.encoder = encoder;
  }

  /** About how many rows there are; 0 where nobody knows before they are read. */
  public long estimatedRows() {
    return estimatedRows;
  }

  /** Whether the estimate is exact. */
  public boolean isCounted() {
    return counted;
  }

  /** The columns that might make one of so many files larger than others; none of only one. */
  public RowWidths widths(int files) {
    return widths.among(files == 1 ? 0 : files);
  }

  /** The bytes that a file should have, for so many to be planned. */
  public long target(int planned) {
    return target.of(planned);
  }

  /** Gives the bytes of a file of rows. */
  public ToLongFunction<List<InternalRow>> encoder() {
    return encoder;
  }

  /**
   * How many files to fill: as many as were planned where all rows were counted, or unless that
   * leaves them far from the plan's target, since log files take more or less as Parquet.
   *
   * @param file what a file costs
   * @param added bytes that all rows add to files
   */
  public int files(int planned, FileBytes file, double added) {
    long targetBytes = target(planned);
    double mean = file.of(added / planned);
    boolean fits =
        mean <= FULLEST * targetBytes && (planned == 1 || mean >= EMPTIEST * targetBytes);
    return counted || fits ? planned : file.files(added, targetBytes);
  }

  @Override
  public Dataset<Row> rows() {
    return input.rows();
  }

  @Override
  public Dataset<Row> columns(List<String> names) {
    return input.columns(names);
  }

  @Override
  public long countedRows() {
    return input.countedRows();
  }

  @Override
  public List<String> readers() {
    return input.readers();
  }
}
