package io.hudizorder.read;

import java.util.Iterator;
import org.apache.spark.TaskContext;

/**
 * What a task goes through until it is killed. Spark looks whether it was where rows come from its
 * own files and shuffles, but not where they are sorted or read by Hudi: a killed task would go on
 * to their end.
 */
public final class UntilKilled<T> implements Iterator<T> {

  /** That of the beginning: another thread may go through the rows. */
  private final TaskContext task = TaskContext.get();

  private final Iterator<T> items;

  private UntilKilled(Iterator<T> items) {
    this.items = items;
  }

  /** Called in the task's own thread. */
  public static <T> Iterator<T> of(Iterator<T> items) {
    return new UntilKilled<>(items);
  }

  @Override
  public boolean hasNext() {
    return items.hasNext();
  }

  @Override
  public T next() {
    task.killTaskIfInterrupted();
    return items.next();
  }
}
