package io.hudizorder;

import io.hudizorder.spark.FittedLayout;
import io.hudizorder.spark.RowLayout;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;

/** One group's rows and the layout fitted to them. */
final class GroupLayout implements AutoCloseable {

  private final ClusteringSetup setup;
  private final GroupInput input;
  private final String partitionPath;
  private final RowLayout rowLayout;
  private final FittedLayout fitted;

  private GroupLayout(
      ClusteringSetup setup,
      GroupInput input,
      String partitionPath,
      RowLayout rowLayout,
      FittedLayout fitted) {
    this.setup = setup;
    this.input = input;
    this.partitionPath = partitionPath;
    this.rowLayout = rowLayout;
    this.fitted = fitted;
  }

  /**
   * Samples the group and fits a layout.
   *
   * @param files how many files to fill
   */
  static GroupLayout fit(
      ClusteringSetup setup,
      GroupInput input,
      String partitionPath,
      int files,
      ClusteringReport report) {
    RowLayout rowLayout = setup.rowLayout();
    FittedLayout fitted =
        report.time(
            "sample and fit",
            () ->
                rowLayout.fit(
                    input.columns(setup.sampledColumns()),
                    input.estimatedRows(),
                    Math.max(1, files)));
    return new GroupLayout(setup, input, partitionPath, rowLayout, fitted);
  }

  GroupInput input() {
    return input;
  }

  String partitionPath() {
    return partitionPath;
  }

  /** The group's rows, one partition a file. */
  JavaRDD<InternalRow> arrangeRows(Dataset<Row> rows) {
    return rowLayout.arrangeRows(rows, fitted, setup.constants(partitionPath));
  }

  /** The same as a dataset. */
  Dataset<Row> arrange(Dataset<Row> rows) {
    return rowLayout.arrange(rows, fitted, setup.constants(partitionPath));
  }

  /** Frees what the executors hold of the layout. */
  @Override
  public void close() {
    fitted.close();
  }
}
