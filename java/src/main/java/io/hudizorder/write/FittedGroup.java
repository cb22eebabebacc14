package io.hudizorder.write;

import io.hudizorder.ClusteringReport;
import io.hudizorder.ClusteringSetup;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.read.GroupInput;
import io.hudizorder.read.PlannedInput;
import io.hudizorder.spark.fit.RowClustering;
import io.hudizorder.spark.sample.RowWidths;
import io.hudizorder.spark.shuffle.FittedLayout;
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

  private final ClusteringSetup setup;
  private final GroupInput input;
  private final String partitionPath;
  private final RowClustering rowLayout;
  private final FittedLayout fitted;

  private FittedGroup(
      ClusteringSetup setup,
      GroupInput input,
      String partitionPath,
      RowClustering rowLayout,
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
   * @param spec of the group's layout
   * @param files how many files to fill
   */
  public static FittedGroup fit(
      ClusteringSetup setup,
      PlannedInput input,
      String partitionPath,
      LayoutSpec spec,
      int files,
      ClusteringReport report) {
    RowClustering rowLayout = setup.rowLayout(spec);
    FittedLayout fitted =
        report.time("sample and fit", () -> fit(setup, input, rowLayout, Math.max(1, files)));
    return new FittedGroup(setup, input, partitionPath, rowLayout, fitted);
  }

  /**
   * By as many rows a file, which a sample of few columns tells; by bytes where that is too few.
   */
  private static FittedLayout fit(
      ClusteringSetup setup, PlannedInput input, RowClustering rowLayout, int files) {
    Optional<FittedLayout> byRows = Optional.empty();
    if (input.estimatedRows() > 0) {
      RowWidths widths = input.widths(files);
      Set<String> names = new LinkedHashSet<>(setup.sampledColumns());
      names.addAll(widths.columns());
      Dataset<Row> sampled = input.columns(new ArrayList<>(names));
      byRows = rowLayout.fit(sampled, input.estimatedRows(), files, widths);
    }
    return byRows.orElseGet(
        () ->
            rowLayout.fitByBytes(
                input.columns(List.of(setup.sparkSchema().fieldNames())),
                files,
                (file, added) -> input.files(files, file, added),
                input.encoder()));
  }

  GroupInput input() {
    return input;
  }

  public String partitionPath() {
    return partitionPath;
  }

  /** The group's rows, one partition a file. */
  public JavaRDD<InternalRow> arrangeRows(Dataset<Row> rows) {
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
