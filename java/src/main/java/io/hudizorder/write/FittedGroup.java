package io.hudizorder.write;

import io.hudizorder.layout.tree.QueryShares;
import io.hudizorder.read.GroupInput;
import io.hudizorder.read.PlannedInput;
import io.hudizorder.spark.fit.RowClustering;
import io.hudizorder.spark.sample.RowWidths;
import io.hudizorder.spark.shuffle.FittedLayout;
import io.hudizorder.table.TableColumns;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;

/** One group's rows and the layout fitted to them. */
public final class FittedGroup implements AutoCloseable {

  private final RowClustering clustering;
  private final TableColumns columns;
  private final GroupInput input;
  private final String partitionPath;
  private final FittedLayout layout;

  private FittedGroup(
      RowClustering clustering,
      TableColumns columns,
      GroupInput input,
      String partitionPath,
      FittedLayout layout) {
    this.clustering = clustering;
    this.columns = columns;
    this.input = input;
    this.partitionPath = partitionPath;
    this.layout = layout;
  }

  /**
   * Samples the group and fits a layout.
   *
   * @param files how many files to fill, at least 1
   */
  public static FittedGroup fit(
      RowClustering clustering,
      TableColumns columns,
      PlannedInput input,
      String partitionPath,
      int files) {
    FittedLayout layout = fit(clustering, columns, input, files);
    return new FittedGroup(clustering, columns, input, partitionPath, layout);
  }

  /**
   * By as many rows a file, which a sample of few columns tells; by bytes where that is too few.
   */
  private static FittedLayout fit(
      RowClustering clustering, TableColumns columns, PlannedInput input, int files) {
    Optional<FittedLayout> byRows = Optional.empty();
    RowWidths widths = input.widths(files);
    if (input.estimatedRows() > 0) {
      Set<String> names = new LinkedHashSet<>(columns.sampledColumns());
      names.addAll(widths.columns());
      Dataset<Row> sampled = input.columns(new ArrayList<>(names));
      byRows = clustering.fit(sampled, input.estimatedRows(), input.isCounted(), files, widths);
    }
    return byRows.orElseGet(
        () ->
            clustering.fitByBytes(
                input.columns(List.of(columns.sparkSchema().fieldNames())),
                files,
                widths,
                (file, added) -> input.files(files, file, added),
                input.encoder()));
  }

  /** What queries read that the group's files are cut for. */
  public Optional<QueryShares> queryShares() {
    return layout.queryShares();
  }

  GroupInput input() {
    return input;
  }

  public String partitionPath() {
    return partitionPath;
  }

  /** The group's rows, one partition a file. */
  public JavaRDD<InternalRow> arrangeRows(Dataset<Row> rows) {
    return clustering.arrangeRows(rows, layout, columns.constants(partitionPath));
  }

  /** The same as a dataset. */
  Dataset<Row> arrange(Dataset<Row> rows) {
    return clustering.arrange(rows, layout, columns.constants(partitionPath));
  }

  /** Frees what the executors hold of the layout. */
  @Override
  public void close() {
    layout.close();
  }
}
