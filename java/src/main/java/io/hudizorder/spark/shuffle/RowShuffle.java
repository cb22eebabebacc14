package io.hudizorder.spark.shuffle;

import io.hudizorder.spark.NamedColumn;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.SparkCalls;
import io.hudizorder.spark.expression.RowHash;
import io.hudizorder.spark.expression.WordColumns;
import io.hudizorder.spark.shuffle.WordFunction.Question;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;

/**
 * Rows brought into a fitted layout: one Spark partition a file, or one for several small
 * partitions of the table, each file's rows in the order of the layout.
 */
public final class RowShuffle {

  private static final String HELPER = "__hudi_zorder";

  private final List<SortColumn> columns;
  private final List<Column> identity;
  private final List<Column> ties;
  private final long seed;
  private final FittedLayout layout;

  /**
   * @param identity tells rows apart, for their order within a file
   * @param ties share out rows of equal values among files; the same whenever a row is made
   */
  public RowShuffle(
      List<SortColumn> columns,
      List<Column> identity,
      List<Column> ties,
      long seed,
      FittedLayout layout) {
    this.columns = columns;
    this.identity = identity;
    this.ties = ties;
    this.seed = seed;
    this.layout = layout;
  }

  /**
   * Routes, shuffles and sorts the rows.
   *
   * @param constants columns whose value is the same in all rows, or which the writer fills in;
   *     they do not travel through the shuffle
   * @return the same rows with the same columns in the same order, in {@code layout.tasks()}
   *     partitions of which partition {@code i} holds the rows of task {@code i}; where partitions
   *     of the table have layouts of their own, sorted by their paths first
   */
  public Dataset<Row> arrange(Dataset<Row> rows, Map<String, String> constants) {
    String[] names = rows.columns();
    Column[] travelling =
        Arrays.stream(names)
            .filter(name -> !constants.containsKey(name))
            .map(NamedColumn::of)
            .toArray(Column[]::new);
    return sorted(rows, travelling).select(withConstants(names, constants));
  }

  /**
   * {@link #arrange} for a writer that takes rows rather than a dataset: constants travel, and in
   * return no row is copied before or after the sort.
   */
  public JavaRDD<InternalRow> arrangeRows(Dataset<Row> rows, Map<String, String> constants) {
    String[] names = rows.columns();
    Dataset<Row> sorted = sorted(rows, withConstants(names, constants));
    int helpers = sorted.columns().length - names.length;
    if (TrailingFields.areDroppable(names.length, helpers)) {
      return sorted
          .queryExecution()
          .toRdd()
          .toJavaRDD()
          .mapPartitions(partition -> TrailingFields.drop(partition, names.length));
    }
    return sorted.select(withConstants(names, Map.of())).queryExecution().toRdd().toJavaRDD();
  }

  private Dataset<Row> sorted(Dataset<Row> rows, Column[] travelling) {
    List<Column> words = new ArrayList<>();
    for (int c = 0; c < columns.size(); c++) {
      words.add(fitted(columns.get(c), c));
    }
    words.add(RowHash.tie(RowHash.of(ties, seed)));

    Column path = layout.partitionColumn().map(NamedColumn::of).orElseGet(() -> functions.lit(""));
    String targetName = unused(rows.columns(), HELPER + "_target");
    String keyName = unused(rows.columns(), HELPER + "_key");
    // Spark computes words and task once for both: they are common subexpressions.
    Column task = WordFunction.of(layout, Question.TASK, words, path);
    Dataset<Row> routed =
        rows.select(
            with(travelling, target(task).as(targetName), key(words, path, task).as(keyName)));

    List<Column> order = new ArrayList<>();
    if (layout.partitionColumn().isPresent()) {
      order.add(path);
    }
    if (layout.lexical()) {
      columns.forEach(column -> order.add(column.column().asc_nulls_first()));
    } else {
      order.add(functions.col(keyName));
    }
    // Rows at one place must not keep the order in which the shuffle brought them.
    if (!layout.keyBreaksTies(columns.size())) {
      order.add(RowHash.of(identity, seed));
    }
    return routed
        .repartition(layout.tasks(), functions.col(targetName))
        .sortWithinPartitions(order.toArray(new Column[0]));
  }

  /** The word the layout gives the value of a sort column: its rank, or its direct word. */
  private Column fitted(SortColumn column, int index) {
    if (!layout.ranked()) {
      return WordColumns.direct(column);
    }
    SparkCalls calls = SparkCalls.here();
    Expression value = calls.expression(WordColumns.comparable(column));
    Expression number = Literal.create(index, DataTypes.IntegerType);
    return calls.column(
        WordColumns.orNullWord(
            WordColumns.invoke(
                FittedLayout.class, layout, "word", DataTypes.LongType, number, value)));
  }

  /** What Spark's hash partitioning sends to a task. */
  private Column target(Column task) {
    SparkCalls calls = SparkCalls.here();
    return calls.column(
        WordColumns.invoke(
            FittedLayout.class, layout, "target", DataTypes.IntegerType, calls.expression(task)));
  }

  private static Column[] withConstants(String[] names, Map<String, String> constants) {
    return Arrays.stream(names)
        .map(
            name ->
                constants.containsKey(name)
                    ? nullable(constants.get(name)).as(name)
                    : NamedColumn.of(name))
        .toArray(Column[]::new);
  }

  /** A constant of a column that may be null: writers make another file of one that may not. */
  private static Column nullable(String value) {
    return functions.when(functions.lit(true), functions.lit(value));
  }

  private Column key(List<Column> words, Column path, Column task) {
    if (layout.lexical()) {
      return functions.lit(null).cast(DataTypes.LongType);
    }
    Question question = layout.ranked() ? Question.SHORT_KEY : Question.KEY;
    return WordFunction.of(layout, question, words, path, task);
  }

  private static Column[] with(Column[] columns, Column... more) {
    Column[] all = Arrays.copyOf(columns, columns.length + more.length);
    System.arraycopy(more, 0, all, columns.length, more.length);
    return all;
  }

  /** A name that no column of the table has, in any case. */
  private static String unused(String[] names, String wanted) {
    String name = wanted;
    while (Arrays.stream(names).anyMatch(name::equalsIgnoreCase)) {
      name += "_";
    }
    return name;
  }
}
