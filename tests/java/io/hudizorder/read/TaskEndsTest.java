package io.hudizorder.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.read.TaskInput.WholeFile;
import java.io.Closeable;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.util.collection.ClosableIterator;
import org.apache.hudi.exception.HoodieException;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.collection.AbstractIterator;

/** What a task reads, at its end or where the task is killed before. */
class TaskEndsTest {

  private static final StructType COLUMN = new StructType().add("id", DataTypes.LongType);

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

  @Test
  void aFileIsClosedThatATaskHasNotReadToItsEnd() {
    OpenFile file = new OpenFile();
    TaskInput input =
        new TaskInput(List.of(new WholeFile("/t/f.parquet", 1)), List.of(), 1, 1, 1, 1);
    Iterator<UnsafeRow> rows = new TaskReader(COLUMN, path -> file, Optional.empty()).read(input);
    assertThat(rows.hasNext()).isTrue();
    assertThat(rows.next().getLong(0)).isEqualTo(7);

    task.markTaskCompleted(Option.empty());

    assertThat(file.closed).isTrue();
  }

  @Test
  void aFileIsNamedThoughItsReaderDoesNotDeclareWhatItThrows() {
    TaskInput input =
        new TaskInput(List.of(new WholeFile("/t/f.parquet", 1)), List.of(), 1, 1, 1, 1);
    TaskReader reader = new TaskReader(COLUMN, path -> new DamagedFile(), Optional.empty());
    Iterator<UnsafeRow> rows = reader.read(input);

    assertThatThrownBy(rows::hasNext)
        .isInstanceOf(HoodieException.class)
        .hasMessageContaining("/t/f.parquet")
        .hasCauseInstanceOf(IOException.class);
  }

  private static Iterator<InternalRow> named(Iterator<InternalRow> rows) {
    return NamedSlice.open(new FileSlice(new HoodieFileGroupId("", "f"), "1"), () -> rows);
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

  /** As Spark's vectorised reader is, of pages that are none. */
  private static final class DamagedFile extends AbstractIterator<InternalRow> {
    @Override
    public boolean hasNext() {
      Platform.throwException(new IOException("can not read class PageHeader"));
      return false;
    }

    @Override
    public InternalRow next() {
      throw new NoSuchElementException();
    }
  }

  private static final class OpenFile extends AbstractIterator<InternalRow> implements Closeable {
    private boolean closed;

    @Override
    public boolean hasNext() {
      if (closed) {
        throw new NoSuchElementException();
      }
      return true;
    }

    @Override
    public InternalRow next() {
      UnsafeRow row = UnsafeRow.createFromByteArray(16, 1);
      row.setLong(0, 7);
      return row;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
