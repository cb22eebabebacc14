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
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
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
   * @param schema of the rows
   */
  static OneFileOrder of(
      SparkSession spark,
      LayoutSpec spec,
      List<SortColumn> columns,
      List<Column> identity,
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
        TaskExpressions.of(spark, schema, values),
        TaskExpressions.of(spark, schema, order));
  }

  /**
   * Sorts rows; called in a task.
   *
   * @param weights of the sort columns, for these rows
   */
  public Iterator<InternalRow> sort(double[] weights, Iterator<UnsafeRow> rows) throws IOException {
    if (spec.curve() == Curve.LINEAR) {
      return sorted(rows, lexical.ordering(), row -> 0);
    }
    // The place of the first is known when the last has been seen: until then they wait, as they
    // came, where rows wait that are sorted.
    List<UnsafeRow> kept = new ArrayList<>();
    Iterator<InternalRow> waiting = sorted(drawing(rows, kept), null, row -> row);
    int[] places = places(spec.withWeights(weights), kept);
    // No two rows have one place.
    return sorted(waiting, null, row -> places[row]);
  }

  /** Passes rows on, and keeps of each its hash and what its sort columns are ranked by. */
  private Iterator<UnsafeRow> drawing(Iterator<UnsafeRow> rows, List<UnsafeRow> kept) {
    UnsafeProjection draw = drawn.projection();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return rows.hasNext();
      }

      @Override
      public UnsafeRow next() {
        UnsafeRow row = rows.next();
        kept.add(draw.apply(row).copy());
        return row;
      }
    };
  }

  /**
   * Rows by what each is given that comes, by its number, and where that is the same by an order.
   */
  private Iterator<InternalRow> sorted(
      Iterator<? extends InternalRow> rows,
      Ordering<InternalRow> ordering,
      IntToLongFunction prefixes)
      throws IOException {
    UnsafeExternalRowSorter sorter =
        UnsafeExternalRowSorter.create(
            schema,
            ordering,
            PrefixComparators.LONG,
            new Prefixes(prefixes),
            PAGE_BYTES,
            ordering == null);
    return JavaConverters.asJavaIterator(sorter.sort(unsafe(rows)));
  }

  /** What a sorter gives are such rows, though it does not say so. */
  @SuppressWarnings("unchecked")
  private static scala.collection.Iterator<UnsafeRow> unsafe(Iterator<? extends InternalRow> rows) {
    return JavaConverters.asScalaIterator((Iterator<UnsafeRow>) rows);
  }

  /** For each row, in the order in which rows come, how many others lie before it. */
  private int[] places(LayoutSpec spec, List<UnsafeRow> kept) {
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

  /** Gives each row that comes what its number says, from 0. */
  private static final class Prefixes extends PrefixComputer {
    private final IntToLongFunction ofRow;
    private final Prefix prefix = new Prefix();
    private int next;

    Prefixes(IntToLongFunction ofRow) {
      this.ofRow = ofRow;
    }

    @Override
    public Prefix computePrefix(InternalRow row) {
      prefix.value = ofRow.applyAsLong(next++);
      return prefix;
    }
  }
}
