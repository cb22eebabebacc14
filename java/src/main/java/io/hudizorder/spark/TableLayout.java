package io.hudizorder.spark;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.CurveOrder;
import io.hudizorder.layout.OrderedLayout;
import io.hudizorder.layout.RowOrder;
import io.hudizorder.layout.Samples;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The layouts of a table whose partitions are told apart by a column: ranks that all of them share,
 * and for each as many files as its rows fill.
 */
final class TableLayout {

  private final LayoutSpec spec;
  private final List<SortColumn> columns;
  private final TableSample sample;
  private final TableSample.DrawnRows drawn;
  private final ColumnRanks ranks;
  private final long[][] words;

  private TableLayout(LayoutSpec spec, List<SortColumn> columns, TableSample sample) {
    this.spec = spec;
    this.columns = columns;
    this.sample = sample;
    this.drawn = sample.drawn();
    Sample learnt = drawn.sample(columns, spec.ranked());
    this.ranks = ColumnRanks.learn(learnt, columns, spec.ranked());
    this.words = ranks.words(learnt);
  }

  /**
   * Learns ranks, measures rows, and cuts every partition.
   *
   * @param partitionColumn names the column that holds the path of a row's partition
   * @param fileBytes bytes a file should not exceed
   * @param tasks tasks that keep the cluster busy
   * @param encoder gives the bytes of a file of rows of the table
   */
  static FittedLayout fit(
      JavaSparkContext spark,
      TableSample sample,
      List<SortColumn> columns,
      LayoutSpec spec,
      String partitionColumn,
      long fileBytes,
      int tasks,
      ToLongFunction<List<InternalRow>> encoder) {
    TableLayout table = new TableLayout(spec, columns, sample);
    TaskLayouts layouts = table.cut(table.measure(encoder), fileBytes, tasks);
    return new FittedLayout(spark, spec, table.ranks, layouts, partitionColumn);
  }

  private TaskLayouts cut(FileBytes size, long fileBytes, int tasks) {
    // Sorted by path, since rows come from the sample in no particular order.
    Map<UTF8String, List<Integer>> partitions =
        IntStream.range(0, drawn.size())
            .boxed()
            .collect(Collectors.groupingBy(drawn::path, TreeMap::new, Collectors.toList()));
    List<OrderedLayout> layouts = new ArrayList<>();
    double[] bytes = new double[partitions.size()];
    for (List<Integer> rows : partitions.values()) {
      double memory = sample.scale() * rows.stream().mapToLong(drawn::bytes).sum();
      bytes[layouts.size()] = size.of(memory);
      // No layout is finer than the rows it is learnt from.
      int files = Math.min(rows.size(), size.files(memory, fileBytes));
      double tableRows = sample.scale() * rows.size();
      layouts.add(FittedLayout.lay(spec, only(rows), tableRows, files));
    }
    return TaskLayouts.deal(
        new ArrayList<>(partitions.keySet()), layouts, alongWholeCurve(), bytes, fileBytes, tasks);
  }

  /** Along the curve through the whole table that comes nearest to the order of rows in files. */
  private RowOrder alongWholeCurve() {
    return CurveOrder.of(spec.splits() ? Curve.HILBERT : spec.curve());
  }

  private long[][] only(List<Integer> rows) {
    return Arrays.stream(words)
        .map(column -> rows.stream().mapToLong(row -> column[row]).toArray())
        .toArray(long[][]::new);
  }

  /** Encodes the sample's whole rows, and half of them, about in the order rows have in files. */
  private FileBytes measure(ToLongFunction<List<InternalRow>> encoder) {
    TableSample.DrawnRows rows = sample.drawnOfWhole();
    long[][] rowWords = ranks.words(rows.sample(columns, spec.ranked()));
    RowOrder order = alongWholeCurve();
    byte[][] keys = new byte[rows.size()][];
    for (int row = 0; row < keys.length; row++) {
      keys[row] = order.key(0, Samples.row(rowWords, row));
    }
    List<Integer> sorted =
        IntStream.range(0, rows.size())
            .boxed()
            .sorted(
                Comparator.<Integer, UTF8String>comparing(rows::path)
                    .thenComparing(row -> keys[row], Arrays::compareUnsigned)
                    .thenComparing(rows::hash))
            .collect(Collectors.toList());
    List<UnsafeRow> whole = sample.whole();
    List<InternalRow> all = new ArrayList<>();
    List<InternalRow> half = new ArrayList<>();
    long allBytes = 0;
    long halfBytes = 0;
    for (int row : sorted) {
      all.add(whole.get(row));
      allBytes += rows.bytes(row);
      if (sample.inHalf(rows.hash(row))) {
        half.add(whole.get(row));
        halfBytes += rows.bytes(row);
      }
    }
    return FileBytes.through(
        allBytes,
        encoder.applyAsLong(all),
        halfBytes,
        encoder.applyAsLong(half),
        sample.halvings());
  }
}
