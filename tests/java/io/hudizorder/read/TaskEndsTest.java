package io.hudizorder.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Iterator;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.util.collection.ClosableIterator;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a task reads, at its end or where the task is killed before. */
class TaskEndsTest {

  private final TaskContextImpl task = TaskContext$.MODULE$.empty();

  @BeforeEach
  void beginTask() {
    TaskContext$.MODULE$.setTaskContext(task);
  }

  @AfterEach
  void endTask() {
    TaskContext$.MODULE$.unset();
  }

  @Test
  void aSliceIsClosedAtItsEndAndNotAskedAgain() {
    Slice rows = new Slice(2);
    Iterator<InternalRow> named = named(rows);

    while (named.hasNext()) {
      assertThat(rows.closed).isFalse();
      named.next();
    }

    assertThat(rows.closed).isTrue();
    assertThat(named.hasNext()).isFalse();
  }

  @Test
  void aKilledTaskReadsNoFurtherRow() {
    Slice rows = new Slice(3);
    Iterator<InternalRow> read = UntilKilled.of(named(rows));
    read.next();

    task.markInterrupted("by a test");

    assertThat(read.hasNext()).isTrue();
    assertThatThrownBy(read::next).isInstanceOf(TaskKilledException.class);
    assertThat(rows.left).isEqualTo(2);
  }

  private static Iterator<InternalRow> named(Iterator<InternalRow> rows) {
    return new NamedSlice(new FileSlice(new HoodieFileGroupId("", "f"), "1"), rows);
  }

  /** As Hudi's: of no use once closed. */
  private static final class Slice implements ClosableIterator<InternalRow> {
    private int left;
    private boolean closed;

    Slice(int rows) {
      left = rows;
    }

    @Override
    public boolean hasNext() {
      if (closed) {
        throw new NullPointerException();
      }
      return left > 0;
    }

    @Override
    public InternalRow next() {
      left--;
      return InternalRow.empty();
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
