package io.hudizorder.read;

import io.hudizorder.read.TaskInput.WholeFile;
import io.hudizorder.spark.SparkCalls;
import java.io.Closeable;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.spark.TaskContext;
import org.apache.spark.paths.SparkPath;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.datasources.FileFormat$;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.TaskCompletionListener;
import scala.Function1;
import scala.collection.JavaConverters;
import scala.collection.immutable.Map;

/**
 * Base files of the table's own schema, without logs, read by a task that has begun: by the reader
 * of {@link VectorisedInput}, but outside of any query, which would cost more than a small file.
 */
public final class TaskReader implements Serializable {

  private static final long serialVersionUID = 1L;

  /** What reports call this reader: a group is read alike in a query and in a task. */
  public static final String READER = VectorisedInput.READER;

  private static final Map<String, String> ROW_BY_ROW =
      new Map.Map1<>(FileFormat$.MODULE$.OPTION_RETURNING_BATCH(), "false");

  private final StructType columns;
  private final Function1<PartitionedFile, scala.collection.Iterator<InternalRow>> open;

  /** One for all files of a task, which has this reader for itself. */
  private transient UnsafeProjection binary;

  /** The file that the task read last; no other is open. */
  private transient scala.collection.Iterator<InternalRow> last;

  /**
   * @param vectorising a session of {@link VectorisedInput#vectorising}
   */
  TaskReader(SparkSession vectorising, StructType columns) {
    this(columns, SparkCalls.here().parquetReader(vectorising, columns, ROW_BY_ROW));
  }

  TaskReader(
      StructType columns, Function1<PartitionedFile, scala.collection.Iterator<InternalRow>> open) {
    this.columns = columns;
    this.open = open;
  }

  /** The rows of a group's files, one file after the other; each is valid until the next. */
  public Iterator<UnsafeRow> read(TaskInput group) {
    return read(group.files());
  }

  /** The rows of one file. */
  public Iterator<UnsafeRow> read(String path, long bytes) {
    return read(List.of(new WholeFile(path, bytes)));
  }

  private Iterator<UnsafeRow> read(List<WholeFile> files) {
    TaskContext task = TaskContext.get();
    if (binary == null) {
      binary = UnsafeProjection.create(columns);
      // A file is closed at its end, which a task that fails or is killed does not come to.
      task.addTaskCompletionListener((TaskCompletionListener) ended -> close());
    }
    return new Iterator<>() {
      private final Iterator<WholeFile> rest = files.iterator();
      private scala.collection.Iterator<InternalRow> rows =
          JavaConverters.asScalaIterator(Collections.emptyIterator());

      @Override
      public boolean hasNext() {
        while (!rows.hasNext() && rest.hasNext()) {
          rows = open.apply(whole(rest.next()));
          last = rows;
        }
        return rows.hasNext();
      }

      @Override
      public UnsafeRow next() {
        task.killTaskIfInterrupted();
        return binary.apply(rows.next());
      }
    };
  }

  private void close() {
    if (last instanceof Closeable) {
      try {
        ((Closeable) last).close();
      } catch (IOException e) {
        throw new UncheckedIOException("Cannot close a file", e);
      }
    }
  }

  private static PartitionedFile whole(WholeFile file) {
    return new PartitionedFile(
        InternalRow.empty(),
        SparkPath.fromPath(new Path(file.path)),
        0,
        file.bytes,
        new String[0],
        0,
        file.bytes,
        scala.collection.immutable.Map$.MODULE$.empty());
  }
}
