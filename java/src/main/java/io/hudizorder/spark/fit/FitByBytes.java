package io.hudizorder.spark.fit;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.CurveOrder;
import io.hudizorder.layout.Layout;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.layout.RowOrder;
import io.hudizorder.layout.query.PartitionedQueries;
import io.hudizorder.layout.query.Query;
import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.layout.tree.FileCuts;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.sample.OnePassSample;
import io.hudizorder.spark.sample.SortColumnSample;
import io.hudizorder.spark.shuffle.ColumnRanks;
import io.hudizorder.spark.shuffle.FittedLayout;
import io.hudizorder.spark.shuffle.TaskRouter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntBiFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Layouts of files of as many bytes each, learnt from rows that nobody has counted: of a table
 * whose partitions are told apart by a column, or of one clustering group. Ranks are shared by all
 * partitions; each gets as many files as its rows fill.
 */
final class FitByBytes {

  /** Of how many rows one at least is to be drawn by its bytes as well. */
  private static final int FEWEST_HEAVY = 4;

  private final LayoutSpec spec;
  private final List<SortColumn> columns;
  private final OnePassSample sample;
  private final ColumnRanks ranks;
  private final QueryWords queries;
  private final Drawn byRows;
  private final Drawn byBytes;
  private final RowCosts costs;

  /** Rows of the sample, and their words. */
  private final class Drawn {
    private final OnePassSample.DrawnRows rows;
    private final long[][] words;

    Drawn(OnePassSample.DrawnRows rows, SortColumnSample learnt) {
      this.rows = rows;
      this.words = ranks.words(learnt);
    }

    Map<UTF8String, List<Integer>> partitions() {
      // Sorted by path, since rows come from the sample in no particular order.
      return IntStream.range(0, rows.size())
          .boxed()
          .collect(Collectors.groupingBy(rows::path, TreeMap::new, Collectors.toList()));
    }

    long[][] only(List<Integer> some) {
      return Arrays.stream(words)
          .map(column -> some.stream().mapToLong(row -> column[row]).toArray())
          .toArray(long[][]::new);
    }
  }

  private FitByBytes(
      LayoutSpec spec,
      List<SortColumn> columns,
      OnePassSample sample,
      ToLongFunction<List<InternalRow>> encoder) {
    this.spec = spec;
    this.columns = columns;
    this.sample = sample;
    OnePassSample.DrawnRows drawn = sample.drawn();
    SortColumnSample learnt = drawn.sample(columns, spec.ranked());
    this.ranks = ColumnRanks.learn(learnt, columns, spec.ranked());
    this.queries = new QueryWords(spec, columns, ranks);
    this.byRows = new Drawn(drawn, learnt);
    OnePassSample.DrawnRows heavy = sample.drawnByBytes();
    this.byBytes = new Drawn(heavy, heavy.sample(columns, spec.ranked()));
    this.costs = measure(encoder);
  }

  /**
   * Learns ranks, measures rows, and cuts every partition.
   *
   * @param schema of the rows
   * @param encoder gives the bytes of a file of rows of the table
   */
  static FittedLayout fitPartitions(
      JavaSparkContext spark,
      OnePassSample sample,
      List<SortColumn> columns,
      LayoutSpec spec,
      StructType schema,
      PartitionTargets targets,
      ToLongFunction<List<InternalRow>> encoder) {
    FitByBytes table = new FitByBytes(spec, columns, sample, encoder);
    TaskRouter router = table.cut(targets, new SampledRanges(sample, schema, columns));
    return new FittedLayout(spark, spec, table.ranks, router, targets.column);
  }

  /**
   * Learns ranks, measures rows, and cuts the only partition there is.
   *
   * @param files how many to fill, given the bytes that all rows add to them and what a file costs
   */
  static FittedLayout fitGroup(
      JavaSparkContext spark,
      OnePassSample sample,
      List<SortColumn> columns,
      LayoutSpec spec,
      ToIntBiFunction<FileBytes, Double> files,
      ToLongFunction<List<InternalRow>> encoder) {
    FitByBytes table = new FitByBytes(spec, columns, sample, encoder);
    List<Integer> rows = all(table.byRows);
    List<Integer> heavy = all(table.byBytes);
    int wanted = files.applyAsInt(table.costs.file(), table.added(rows, heavy));
    Layout layout = table.cut(spec, rows, heavy, Math.max(1, Math.min(rows.size(), wanted)));
    return new FittedLayout(spark, spec, table.ranks, layout);
  }

  private static List<Integer> all(Drawn drawn) {
    return IntStream.range(0, drawn.rows.size()).boxed().collect(Collectors.toList());
  }

  private TaskRouter cut(PartitionTargets targets, SampledRanges ranges) {
    PartitionedQueries asked = new PartitionedQueries(spec.queries());
    Map<UTF8String, List<Integer>> partitions = byRows.partitions();
    Map<UTF8String, List<Integer>> heavy = byBytes.partitions();
    List<Layout> layouts = new ArrayList<>();
    double[] bytes = new double[partitions.size()];
    for (Map.Entry<UTF8String, List<Integer>> partition : partitions.entrySet()) {
      List<Integer> rows = partition.getValue();
      List<Integer> heavyRows = heavy.getOrDefault(partition.getKey(), List.of());
      double added = added(rows, heavyRows);
      bytes[layouts.size()] = costs.file().of(added);
      // No layout is finer than the rows it is learnt from.
      int files = Math.min(rows.size(), costs.file().files(added, targets.fileBytes));
      String path = partition.getKey().toString();
      LayoutSpec own =
          files == 1 || !spec.splits()
              ? spec.withoutQueries()
              : spec.withQueries(asked.reaching(targets.values.apply(path)))
                  .withWeights(targets.weights.of(path, added, ranges.of(partition.getKey())));
      layouts.add(cut(own, rows, heavyRows, files));
    }
    return TaskRouter.deal(
        new ArrayList<>(partitions.keySet()),
        layouts,
        alongWholeCurve(),
        bytes,
        targets.fileBytes,
        targets.tasks);
  }

  /**
   * What the rows of a partition add to its files. Of rows that are about equally large the one
   * sample says it better, of others the other.
   */
  private double added(List<Integer> rows, List<Integer> heavy) {
    return isUsual(heavy)
        ? costs.file().added(sample.scale() * rows.stream().mapToLong(byRows.rows::bytes).sum())
        : heavy.stream().mapToDouble(this::bytes).sum();
  }

  /** Whether rows are about equally large. */
  private boolean isUsual(List<Integer> heavy) {
    return heavy.stream().allMatch(row -> costs.classOf(byBytes.rows.bytes(row)) == 0);
  }

  /** What the rows add to files that a row drawn by its bytes stands for. */
  private double bytes(int heavy) {
    long bytes = byBytes.rows.bytes(heavy);
    return sample.scale(bytes) * costs.of(bytes);
  }

  /** Cuts a partition into files of as many rows each, or where that leaves them uneven, bytes. */
  private Layout cut(LayoutSpec own, List<Integer> rows, List<Integer> heavy, int files) {
    double tableRows = sample.scale() * rows.size();
    List<Query> asked = queries.of(own.queries());
    Layout layout = Layout.learn(own, byRows.only(rows), asked, tableRows, files);
    // Of a partition whose rows are small few are drawn by their bytes, which tell nothing then.
    boolean tells = FEWEST_HEAVY * heavy.size() >= rows.size() || !isUsual(heavy);
    return tells && isUneven(layout.cuts(), rows, heavy)
        ? Layout.learn(own, byBytes.only(inEqualShares(heavy)), asked, tableRows, files)
        : layout;
  }

  /** Whether the rows of some file are larger or smaller, in the mean, than those of all. */
  private boolean isUneven(FileCuts cuts, List<Integer> rows, List<Integer> heavy) {
    double[] shares = new double[cuts.files()];
    for (int row : rows) {
      shares[cuts.fileOf(WordTable.row(byRows.words, row))] += 1.0 / rows.size();
    }
    double[] bytes = new double[cuts.files()];
    double all = heavy.stream().mapToDouble(this::bytes).sum();
    for (int row : heavy) {
      bytes[cuts.fileOf(WordTable.row(byBytes.words, row))] += bytes(row) / all;
    }
    return FitByRows.differ(shares, bytes);
  }

  /**
   * Rows so often that each time stands for as many bytes: a large one several times, of small ones
   * some not at all.
   */
  private List<Integer> inEqualShares(List<Integer> heavy) {
    double share = heavy.stream().mapToDouble(this::bytes).sum() / heavy.size();
    List<Integer> shares = new ArrayList<>();
    for (int row : heavy) {
      // A part of a share is one by chance: that of a hash, but not the one that breaks ties.
      long hash = XXH64.hashLong(byBytes.rows.hash(row), spec.seed());
      double chance = Math.scalb((double) (hash >>> 1), -63);
      int times = (int) Math.floor(bytes(row) / share + chance);
      shares.addAll(Collections.nCopies(times, row));
    }
    return shares;
  }

  /** Along the curve through the whole table that comes nearest to the order of rows in files. */
  private RowOrder alongWholeCurve() {
    return CurveOrder.of(spec.splits() ? Curve.HILBERT : spec.curve());
  }

  /** Encodes the sample's whole rows, class by class, about in the order rows have in files. */
  private RowCosts measure(ToLongFunction<List<InternalRow>> encoder) {
    OnePassSample.DrawnRows rows = sample.drawnOfWhole();
    long[][] rowWords = ranks.words(rows.sample(columns, spec.ranked()));
    RowOrder order = alongWholeCurve();
    byte[][] keys = new byte[rows.size()][];
    for (int row = 0; row < keys.length; row++) {
      keys[row] = order.key(0, WordTable.row(rowWords, row));
    }
    List<Integer> sorted =
        IntStream.range(0, rows.size())
            .boxed()
            .sorted(
                Comparator.<Integer, UTF8String>comparing(rows::path)
                    .thenComparing(row -> keys[row], Arrays::compareUnsigned)
                    .thenComparing(rows::hash))
            .collect(Collectors.toList());
    return RowCosts.measure(rows, sorted, some -> measure(encoder, rows, some));
  }

  private FileBytes measure(
      ToLongFunction<List<InternalRow>> encoder, OnePassSample.DrawnRows rows, List<Integer> some) {
    List<UnsafeRow> whole = sample.whole();
    List<InternalRow> all = new ArrayList<>();
    List<InternalRow> half = new ArrayList<>();
    long allBytes = 0;
    long halfBytes = 0;
    for (int row : some) {
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
