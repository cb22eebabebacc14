package io.hudizorder.spark.fit;

import io.hudizorder.layout.Layout;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.layout.query.PartitionValues;
import io.hudizorder.layout.query.PartitionedQueries;
import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.layout.tree.FileCuts;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.expression.RowHash;
import io.hudizorder.spark.expression.WordColumns;
import io.hudizorder.spark.sample.SortColumnSample;
import io.hudizorder.spark.shuffle.ColumnRanks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;

/**
 * Rows of several clustering groups on the driver, sampled once, to be sent to their files under
 * one layout after another.
 *
 * <p>A row is sampled by the hash that clustering by all the columns samples it by, and each layout
 * is learnt from those rows that clustering would learn it from. For a group of known size it is
 * therefore the layout itself, not one like it, that is looked at; of layouts by some of the
 * columns it is one like it, since clustering by these alone samples other rows.
 */
public final class PreviewSample implements AutoCloseable {

  private static final String GROUP = "group";
  private static final String HASH = "hash";

  private final Dataset<Row> drawn;
  private final int valueColumns;
  private final Map<String, Integer> places = new HashMap<>();
  private final SampleGroups groups;
  private final long[] hashes;

  /** By sort column: ordered bytes of a wide one, null of others. */
  private final byte[][][] bytes;

  /** By sort column: its direct words. */
  private final long[][] words;

  private PreviewSample(
      Dataset<Row> drawn,
      List<SortColumn> columns,
      int valueColumns,
      long[] estimatedRows,
      int[] files) {
    this.drawn = drawn;
    this.valueColumns = valueColumns;
    columns.forEach(column -> places.put(column.name(), places.size()));
    // Not the values that are looked at, which may be long.
    Column[] collected =
        Stream.concat(
                Stream.of(GROUP, HASH),
                IntStream.range(0, columns.size())
                    .boxed()
                    .flatMap(c -> Stream.of("w" + c, "b" + c)))
            .map(functions::col)
            .toArray(Column[]::new);
    List<InternalRow> rows =
        drawn
            .select(collected)
            .queryExecution()
            .toRdd()
            .toJavaRDD()
            .map(InternalRow::copy)
            .collect();
    int count = rows.size();
    int[] groupOfRow = rows.stream().mapToInt(row -> row.getInt(0)).toArray();
    groups = new SampleGroups(groupOfRow, estimatedRows, files);
    hashes = rows.stream().mapToLong(row -> row.getLong(1)).toArray();
    words = new long[columns.size()][count];
    bytes = new byte[columns.size()][][];
    for (int c = 0; c < words.length; c++) {
      int direct = 2 + 2 * c;
      boolean wide = columns.get(c).wide();
      bytes[c] = wide ? new byte[count][] : null;
      for (int r = 0; r < count; r++) {
        InternalRow row = rows.get(r);
        words[c][r] = row.getLong(direct);
        if (wide) {
          bytes[c][r] = row.isNullAt(direct + 1) ? null : row.getBinary(direct + 1);
        }
      }
    }
  }

  /**
   * Samples rows, and keeps them in Spark's memory for {@link #values}.
   *
   * @param rows at least the identity columns and all columns asked for
   * @param group the number of a row's group; negative for rows that are not wanted
   * @param columns the columns that layouts may be made of, in the order of a layout by them all
   * @param values the columns to be looked at
   * @param identity names of the columns that tell rows apart
   * @param estimatedRows about how many rows each group has
   * @param files how many files each group is to fill
   * @param sampleRows rows to sample at least, or all there are; more where many files need them
   */
  public static PreviewSample draw(
      Dataset<Row> rows,
      Column group,
      List<SortColumn> columns,
      List<SortColumn> values,
      List<String> identity,
      long seed,
      long[] estimatedRows,
      int[] files,
      long sampleRows) {
    long[] wanted = wantedRows(estimatedRows, files, sampleRows);
    long[] thresholds =
        IntStream.range(0, files.length)
            .mapToLong(g -> SortColumnSample.threshold(wanted[g], Math.max(1, estimatedRows[g])))
            .toArray();
    Column hash = RowHash.of(RowClustering.identity(identity, columns), seed);
    List<Column> selected = new ArrayList<>(List.of(group.as(GROUP), hash.as(HASH)));
    for (int v = 0; v < values.size(); v++) {
      selected.add(values.get(v).column().as("v" + v));
    }
    List<Column> ranked =
        SortColumnSample.values(columns, true, Math.max(1, Arrays.stream(wanted).sum()));
    for (int c = 0; c < columns.size(); c++) {
      selected.add(WordColumns.direct(columns.get(c)).as("w" + c));
      Column exact = columns.get(c).wide() ? ranked.get(c) : functions.lit(null);
      selected.add(exact.as("b" + c));
    }
    // Most rows are dropped by their hash alone, before their group is looked for.
    long greatest = Arrays.stream(thresholds).max().orElse(Long.MIN_VALUE);
    UDF1<Integer, Long> thresholdOf = number -> number < 0 ? Long.MIN_VALUE : thresholds[number];
    Column own = functions.udf(thresholdOf, DataTypes.LongType).apply(functions.col(GROUP));
    Dataset<Row> drawn =
        rows.where(hash.leq(greatest))
            .select(selected.toArray(new Column[0]))
            .where(functions.col(HASH).leq(own))
            .persist();
    return new PreviewSample(drawn, columns, values.size(), estimatedRows, files);
  }

  /** How many rows to draw of each group. */
  private static long[] wantedRows(long[] estimatedRows, int[] files, long sampleRows) {
    double total = Math.max(1, Arrays.stream(estimatedRows).sum());
    double[] wanted = new double[files.length];
    for (int g = 0; g < files.length; g++) {
      double even = sampleRows * (estimatedRows[g] / total);
      wanted[g] = Math.max(even, (double) RowClustering.SAMPLE_ROWS_PER_FILE * files[g]);
    }
    double most = Math.max(sampleRows, RowClustering.MAX_SAMPLE_ROWS);
    double scale = Math.min(1, most / Arrays.stream(wanted).sum());
    return Arrays.stream(wanted).mapToLong(rows -> (long) Math.ceil(scale * rows)).toArray();
  }

  /**
   * The group of every row and its values, in the order of {@link #filesOf}: columns {@code group},
   * {@code v0}, {@code v1} and so on.
   */
  public Dataset<Row> values() {
    List<Column> columns = new ArrayList<>(List.of(functions.col(GROUP)));
    IntStream.range(0, valueColumns).forEach(v -> columns.add(functions.col("v" + v)));
    return drawn.select(columns.toArray(new Column[0]));
  }

  /**
   * The file of every row under a layout, numbered over all groups; a file that no sampled row goes
   * to has a number, too.
   *
   * @param columns the layout's, of those that were sampled
   * @param partitions that the groups are of, each for some of the layout's queries
   */
  public int[] filesOf(
      LayoutSpec spec, List<SortColumn> columns, List<PartitionValues> partitions) {
    PartitionedQueries queries = new PartitionedQueries(spec.queries());
    return filesOf(
        group -> spec.withQueries(queries.reaching(partitions.get(group))), columns, groups);
  }

  /** The same, were the rows divided into other groups, each for all queries. */
  public int[] filesOf(LayoutSpec spec, List<SortColumn> columns, SampleGroups others) {
    return filesOf(group -> spec, columns, others);
  }

  private int[] filesOf(IntFunction<LayoutSpec> spec, List<SortColumn> columns, SampleGroups of) {
    int[] found = new int[hashes.length];
    int[][] rowsOf = of.rows();
    int first = 0;
    for (int g = 0; g < rowsOf.length; g++) {
      first += assign(spec, columns, of, g, rowsOf[g], first, found);
    }
    return found;
  }

  /** Lays out one group; returns the number of its files. */
  private int assign(
      IntFunction<LayoutSpec> specs,
      List<SortColumn> columns,
      SampleGroups of,
      int group,
      int[] rows,
      int first,
      int[] found) {
    int files = of.files(group);
    if (files == 1 || rows.length == 0) {
      Arrays.stream(rows).forEach(row -> found[row] = first);
      return 1;
    }
    LayoutSpec spec = specs.apply(group); // its queries are looked for among all
    long size = RowClustering.sampleRows(spec, columns, files);
    long threshold = SortColumnSample.threshold(size, Math.max(1, of.estimatedRows(group)));
    boolean all = size >= of.estimatedRows(group);
    int[] learnt = Arrays.stream(rows).filter(r -> all || hashes[r] < threshold).toArray();
    SortColumnSample sample = sample(spec, columns, learnt);
    ColumnRanks ranks = ColumnRanks.learn(sample, columns, spec.ranked());
    FileCuts cuts =
        Layout.cut(spec, ranks.words(sample), QueryWords.of(spec, columns, ranks), files);
    long[][] table = ranks.words(sample(spec, columns, rows));
    IntStream.range(0, rows.length)
        .parallel()
        .forEach(r -> found[rows[r]] = first + cuts.fileOf(WordTable.row(table, r)));
    return cuts.files();
  }

  private SortColumnSample sample(LayoutSpec spec, List<SortColumn> columns, int[] rows) {
    long[][] chosenWords = new long[columns.size()][];
    byte[][][] chosenBytes = new byte[columns.size()][][];
    for (int c = 0; c < chosenWords.length; c++) {
      int place = places.get(columns.get(c).name());
      if (spec.ranked() && columns.get(c).wide()) {
        chosenBytes[c] =
            Arrays.stream(rows).mapToObj(row -> bytes[place][row]).toArray(byte[][]::new);
      } else {
        chosenWords[c] = Arrays.stream(rows).mapToLong(row -> words[place][row]).toArray();
      }
    }
    long[] chosenHashes = Arrays.stream(rows).mapToLong(row -> hashes[row]).toArray();
    return SortColumnSample.of(chosenWords, chosenBytes, chosenHashes);
  }

  /** Frees what Spark holds of the sample. */
  @Override
  public void close() {
    drawn.unpersist();
  }
}
