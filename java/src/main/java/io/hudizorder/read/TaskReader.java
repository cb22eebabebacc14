package io.hudizorder.read;

import io.hudizorder.read.TaskInput.WholeFile;
import io.hudizorder.spark.SparkCalls;
import java.io.Closeable;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.Iterator;
import java.util.Optional;
import java.util.stream.Stream;
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
 * A group's slices read by a task that has begun, outside of any query, which would cost more than
 * small files: base files of the table's own schema without logs by the reader of {@link
 * VectorisedInput}, all others by Hudi's.
 */
public final class TaskReader implements Serializable {

  private static final long serialVersionUID = 1L;

  private static final Map<String, String> ROW_BY_ROW =
      new Map.Map1<>(FileFormat$.MODULE$.OPTION_RETURNING_BATCH(), "false");

  private final StructType columns;
  private final Function1<PartitionedFile, scala.collection.Iterator<InternalRow>> open;

  /** Null where no group has such slices. */
  private final SliceRows merged;

  /** One for all files of a task, which has this reader for itself. */
  private transient UnsafeProjection binary;

  /** The base file that the task read last; no other is open. */
  private transient scala.collection.Iterator<InternalRow> last;

  /**
   * @param vectorising a session of {@link VectorisedInput#vectorising}
   * @param columns of the table, all of them
   * @param merged reads what is not for the fast reader; none where there is nothing of that
   */
  TaskReader(SparkSession vectorising, StructType columns, Optional<SliceRows> merged) {
    this(columns, SparkCalls.here().parquetReader(vectorising, columns, ROW_BY_ROW), merged);
  }

  TaskReader(
      StructType columns,
      Function1<PartitionedFile, scala.collection.Iterator<InternalRow>> open,
      Optional<SliceRows> merged) {
    this.columns = columns;
    this.open = open;
    this.merged = merged.orElse(null);
  }

  /** The rows of a group's slices, one slice after the other; each is valid until the next. */
  public Iterator<UnsafeRow> read(TaskInput group) {
    return read(
        Stream.concat(
            group.files().stream().map(this::open),
            group.merged().stream().map(slice -> merged.of(slice))));
  }

  /** Of slices that are opened one by one, as they are asked for. */
  private Iterator<UnsafeRow> read(Stream<Iterator<InternalRow>> slices) {
    if (binary == null) {
      binary = UnsafeProjection.create(columns);
      // A file is closed at its end, which a task that fails or is killed does not come to.
      TaskContext.get().addTaskCompletionListener((TaskCompletionListener) ended -> close());
    }
    return new Iterator<>() {
      private final Iterator<Iterator<InternalRow>> rest = slices.iterator();
      private Iterator<InternalRow> rows = Collections.emptyIterator();

      @Override
      public boolean hasNext() {
        while (!rows.hasNext() && rest.hasNext()) {
          rows = rest.next();
        }
        return rows.hasNext();
      }

      @Override
      public UnsafeRow next() {
        return binary.apply(rows.next());
      }
    };
  }

  private Iterator<InternalRow> open(WholeFile file) {
    return NamedSlice.open(
        file.path,
        () -> {
          last = open.apply(whole(file));
          return JavaConverters.asJavaIterator(last);
        });
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
