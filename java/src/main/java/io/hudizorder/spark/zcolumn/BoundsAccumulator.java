package io.hudizorder.spark.zcolumn;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.util.AccumulatorV2;

/**
 * The bounds of the z-values that tasks compute, known on the driver as soon as the tasks are done.
 * A task that is run again adds the same once more, or rows that come to nothing: bounds may be
 * wider than what is written. What a failed task has computed is not among them, though another may
 * read it from the cache (SPARK-41497): rows are counted, so that {@link #of} finds that out.
 */
public final class BoundsAccumulator extends AccumulatorV2<byte[], WordBounds> {

  private static final long serialVersionUID = 1L;

  private static final int NO_TASK = -1;

  private WordBounds bounds;

  /** The partition whose rows are counted here; of the others what its tasks have counted. */
  private int partition = NO_TASK;

  private long rows;
  private final Map<Integer, Long> rowsOfOthers = new HashMap<>();

  /** One that tasks may add to; each use of it is a write of its own. */
  public static BoundsAccumulator in(SparkContext spark, int columns) {
    BoundsAccumulator bounds = new BoundsAccumulator(new WordBounds(columns));
    // Without a name: Spark keeps the value of a named one with every task, and shows it to others.
    spark.register(bounds);
    return bounds;
  }

  private BoundsAccumulator(WordBounds bounds) {
    this.bounds = bounds;
  }

  /** Adds a row's z-value and returns it; called from generated code. */
  public byte[] pass(byte[] zValue) {
    add(zValue);
    return zValue;
  }

  @Override
  public void add(byte[] zValue) {
    if (partition == NO_TASK) {
      partition = TaskContext.getPartitionId();
    }
    bounds.add(zValue);
    rows++;
  }

  @Override
  public boolean isZero() {
    return rows == 0 && rowsOfOthers.isEmpty();
  }

  @Override
  public BoundsAccumulator copy() {
    BoundsAccumulator copy = new BoundsAccumulator(bounds.copy());
    copy.partition = partition;
    copy.rows = rows;
    copy.rowsOfOthers.putAll(rowsOfOthers);
    return copy;
  }

  @Override
  public void reset() {
    bounds = new WordBounds(bounds.columns());
    partition = NO_TASK;
    rows = 0;
    rowsOfOthers.clear();
  }

  @Override
  public void merge(AccumulatorV2<byte[], WordBounds> other) {
    BoundsAccumulator task = (BoundsAccumulator) other;
    bounds = bounds.union(task.bounds);
    task.rowsOfOthers.forEach((part, counted) -> rowsOfOthers.merge(part, counted, Math::max));
    if (task.rows > 0) {
      rowsOfOthers.merge(task.partition, task.rows, Math::max);
    }
  }

  @Override
  public WordBounds value() {
    return bounds;
  }

  /**
   * The bounds of rows that were written, all but those that came to nothing: of any rows, where
   * tasks have told of fewer.
   */
  public WordBounds of(long written) {
    long told = rows + rowsOfOthers.values().stream().mapToLong(Long::longValue).sum();
    return told < written ? WordBounds.ofAnyRows(bounds.columns()) : bounds;
  }
}
