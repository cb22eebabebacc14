package io.hudizorder.read;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.apache.spark.util.AccumulatorV2;

/**
 * Rows seen per RDD partition, or other part that one task sees. A task that runs twice reports the
 * same partition again and overwrites its count, where a plain accumulator would add it a second
 * time.
 */
public final class RowCounts extends AccumulatorV2<long[], Map<Long, Long>> {

  private static final long serialVersionUID = 1L;

  private final Map<Long, Long> counts = new HashMap<>();

  /** Passes rows through and reports their number when the last has been taken. */
  public <T> Iterator<T> counting(long partition, Iterator<T> rows) {
    return new Iterator<>() {
      private long count;
      private boolean reported;

      @Override
      public boolean hasNext() {
        boolean more = rows.hasNext();
        if (!more && !reported) {
          reported = true;
          add(new long[] {partition, count});
        }
        return more;
      }

      @Override
      public T next() {
        count++;
        return rows.next();
      }
    };
  }

  /** The rows of one partition, none where none was reported. */
  public long of(long partition) {
    return counts.getOrDefault(partition, 0L);
  }

  public long total() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public boolean isZero() {
    return counts.isEmpty();
  }

  @Override
  public RowCounts copy() {
    RowCounts copy = new RowCounts();
    copy.counts.putAll(counts);
    return copy;
  }

  @Override
  public void reset() {
    counts.clear();
  }

  /** Records {@code {partition, rows}}. */
  @Override
  public void add(long[] partitionAndRows) {
    counts.put(partitionAndRows[0], partitionAndRows[1]);
  }

  @Override
  public void merge(AccumulatorV2<long[], Map<Long, Long>> other) {
    counts.putAll(other.value());
  }

  @Override
  public Map<Long, Long> value() {
    return counts;
  }
}
