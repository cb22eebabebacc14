package io.hudizorder.spark.fit;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.Layout;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.layout.RowOrder;
import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.expression.RowHash;
import io.hudizorder.spark.expression.TaskExpressions;
import io.hudizorder.spark.sample.SortColumnSample;
import io.hudizorder.spark.shuffle.ColumnRanks;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.UnsafeExternalRowSorter;
import org.apache.spark.sql.execution.UnsafeExternalRowSorter.PrefixComputer;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators;
import scala.collection.JavaConverters;
import scala.math.Ordering;

/**
 * Rows that fill one file brought into the order of a layout that is learnt from all of them, by
 * the task that writes the file: the very order into which {@link RowClustering} brings them by a
 * sample of all rows, without its jobs.
 *
 * <p>Of all rows the task holds the sort columns and hashes, as a driver holds those of a sample;
 * the rows themselves are sorted as Spark sorts, on disk where memory is short.
 */
public final class OneFileOrder implements Serializable {

  private static final long serialVersionUID = 1L;

  /** Spark's own pages are larger than most groups are. */
  private static final long PAGE_BYTES = 1 << 20;

  private final LayoutSpec spec;
  private final List<SortColumn> columns;
  private final StructType schema;

  /** Of each row its hash, and what its sort columns are ranked by. */
  private final TaskExpressions drawn;

  /** The order of whole rows where they are sorted by one column after the other. */
  private final TaskExpressions lexical;

  private OneFileOrder(
      LayoutSpec spec,
      List<SortColumn> columns,
      StructType schema,
      TaskExpressions drawn,
      TaskExpressions lexical) {
    this.spec = spec;
    this.columns = columns;
    this.schema = schema;
    this.drawn = drawn;
    this.lexical = lexical;
  }

  /**
   * Prepares what tasks need.
   *
   * @param identity the columns that tell rows apart
   * @param sampled the columns that a sample reads
   * @param schema of whole rows
   */
  static OneFileOrder of(
      SparkSession spark,
      LayoutSpec spec,
      List<SortColumn> columns,
      List<Column> identity,
      StructType sampled,
      StructType schema) {
    Column hash = RowHash.of(identity, spec.seed());
    List<Column> values = new ArrayList<>(List.of(hash));
    values.addAll(
        SortColumnSample.values(
            columns, spec.ranked(), RowClustering.sampleRows(spec, columns, 1)));
    List<Column> order = new ArrayList<>();
    columns.forEach(column -> order.add(column.column()));
    order.add(hash);
    return new OneFileOrder(
        spec.withoutQueries(), // they choose files, of which there is one
        columns,
        schema,
        TaskExpressions.of(spark, sampled, values),
        TaskExpressions.of(spark, schema, order));
  }

  /**
   * Sorts rows; called in a task.
   *
   * @param weights of the sort columns, for these rows
   * @param sampled reads the sampled columns of all rows
   * @param whole reads all rows, in the same order
   */
  public Iterator<InternalRow> sort(
      double[] weights, Supplier<Iterator<UnsafeRow>> sampled, Supplier<Iterator<UnsafeRow>> whole)
      throws IOException {
    if (spec.curve() == Curve.LINEAR) {
      return sorted(whole.get(), lexical.ordering(), new Positions(null));
    }
    int[] places = places(spec.withWeights(weights), sampled.get());
    // No two rows have one place.
    return sorted(whole.get(), null, new Positions(places));
  }

  private Iterator<InternalRow> sorted(
      Iterator<UnsafeRow> rows, Ordering<InternalRow> ordering, PrefixComputer prefixes)
      throws IOException {
    UnsafeExternalRowSorter sorter =
        UnsafeExternalRowSorter.create(
            schema, ordering, PrefixComparators.LONG, prefixes, PAGE_BYTES, ordering == null);
    return JavaConverters.asJavaIterator(sorter.sort(JavaConverters.asScalaIterator(rows)));
  }

  /** For each row, in the order in which rows come, how many others lie before it. */
  private int[] places(LayoutSpec spec, Iterator<UnsafeRow> rows) {
    TaskContext task = TaskContext.get();
    UnsafeProjection draw = drawn.projection();
    List<UnsafeRow> kept = new ArrayList<>();
    while (rows.hasNext()) {
      task.killTaskIfInterrupted();
      kept.add(draw.apply(rows.next()).copy());
    }
    SortColumnSample sample = SortColumnSample.of(kept, 0, 1, columns, spec.ranked());
    long[][] words = ColumnRanks.learn(sample, columns, spec.ranked()).words(sample);
    RowOrder order = Layout.learn(spec, words, List.of(), kept.size(), 1).order();
    int[] places = new int[kept.size()];
    int place = 0;
    for (int row : ordered(spec, order, words, kept)) {
      places[row] = place++;
    }
    return places;
  }

  private static int[] ordered(
      LayoutSpec spec, RowOrder order, long[][] words, List<UnsafeRow> kept) {
    int rows = kept.size();
    Comparator<Integer> byKey;
    if (spec.ranked()) {
      long[] keys = new long[rows];
      Arrays.setAll(keys, row -> order.shortKey(0, WordTable.row(words, row)));
      byKey = Comparator.comparingLong(row -> keys[row]);
    } else {
      byte[][] keys = new byte[rows][];
      Arrays.setAll(keys, row -> order.key(0, WordTable.row(words, row)));
      byKey = Comparator.comparing(row -> keys[row], Arrays::compareUnsigned);
    }
    return IntStream.range(0, rows)
        .boxed()
        .sorted(byKey.thenComparingLong(row -> kept.get(row).getLong(0)))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  /** Gives the rows, in the order in which they come, their places; without any, all the same. */
  private static final class Positions extends PrefixComputer {
    private final int[] places;
    private final Prefix prefix = new Prefix();
    private int next;

    Positions(int[] places) {
      this.places = places;
    }

    @Override
    public Prefix computePrefix(InternalRow row) {
      if (places != null) {
        prefix.value = places[next++];
      }
      return prefix;
    }
  }
}
