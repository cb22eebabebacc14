package io.hudizorder.spark.fit;

import io.hudizorder.layout.Layout;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.layout.tree.FileCuts;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.sample.RowWidths;
import io.hudizorder.spark.sample.SortColumnSample;
import io.hudizorder.spark.shuffle.ColumnRanks;
import io.hudizorder.spark.shuffle.FittedLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;

/** A layout of files of as many rows each, learnt from a sample of few columns. */
final class FitByRows {

  /** How much larger or smaller than all rows those of a file may be, in the mean, as a ratio. */
  private static final double UNEVEN = 1.25;

  private FitByRows() {}

  /**
   * Learns ranks and cuts.
   *
   * @param rows about how many rows there are
   * @param files how many files to fill, at least 1
   * @param widths what the sample was measured with
   * @return none where rows differ so much in size that files of as many rows each would, too
   */
  static Optional<FittedLayout> fit(
      JavaSparkContext spark,
      SortColumnSample sample,
      List<SortColumn> columns,
      LayoutSpec spec,
      long rows,
      int files,
      RowWidths widths) {
    if (hasMissed(widths, sample.rowBytes())) {
      return Optional.empty();
    }
    ColumnRanks ranks = ColumnRanks.learn(sample, columns, spec.ranked());
    long[][] words = ranks.words(sample);
    // No more files than rows: what is held of each would not fit, were a tiny target meant as MB.
    int filled = (int) Math.max(1, Math.min(files, rows));
    Layout layout = Layout.learn(spec, words, QueryWords.of(spec, columns, ranks), rows, filled);
    if (!widths.isEmpty() && isUneven(layout.cuts(), words, sample.rowBytes())) {
      return Optional.empty();
    }
    return Optional.of(new FittedLayout(spark, spec, ranks, layout));
  }

  /** Whether sampled rows are smaller than others must be: few large ones are rarely sampled. */
  private static boolean hasMissed(RowWidths widths, double[] sampled) {
    double mean = widths.mean();
    return mean > UNEVEN * Arrays.stream(sampled).average().orElse(mean);
  }

  private static boolean isUneven(FileCuts cuts, long[][] words, double[] bytes) {
    double all = Arrays.stream(bytes).sum();
    double[] rowShares = new double[cuts.files()];
    double[] byteShares = new double[cuts.files()];
    for (int row = 0; row < bytes.length; row++) {
      int file = cuts.fileOf(WordTable.row(words, row));
      rowShares[file] += 1.0 / bytes.length;
      byteShares[file] += bytes[row] / all;
    }
    return differ(rowShares, byteShares);
  }

  /** Whether files' shares of all rows and of all bytes are clearly not the same. */
  static boolean differ(double[] rowShares, double[] byteShares) {
    return IntStream.range(0, rowShares.length)
        .anyMatch(file -> differ(byteShares[file], rowShares[file]));
  }

  /** Whether one is clearly more than the other. */
  static boolean differ(double one, double other) {
    return one > UNEVEN * other || other > UNEVEN * one;
  }
}
