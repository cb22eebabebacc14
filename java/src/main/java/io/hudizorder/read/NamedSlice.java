package io.hudizorder.read;

import java.util.Collections;
import java.util.Iterator;
import java.util.function.Supplier;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.util.collection.ClosableIterator;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.exception.HoodieException;
import org.apache.spark.TaskKilledException;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * The rows of a file slice, which is named, in Spark's words, by what fails while it is read, as
 * its base file or the first log where there is none. It is closed at its end: a task that reads
 * several would else hold what all of their logs told.
 */
final class NamedSlice implements Iterator<InternalRow> {

  private final String path;
  private Iterator<InternalRow> rows;

  private NamedSlice(String path, Iterator<InternalRow> rows) {
    this.path = path;
    this.rows = rows;
  }

  /** Opens a slice, in the thread of the task that reads it until it is killed. */
  static Iterator<InternalRow> open(FileSlice slice, Supplier<Iterator<InternalRow>> rows) {
    return open(
        slice.getBaseFile().isPresent()
            ? slice.getBaseFile().get().getPath()
            : slice.getLogFiles().map(log -> log.getPath().toString()).findFirst().orElse(""),
        rows);
  }

  /** The same of a base file without logs. */
  static Iterator<InternalRow> open(String path, Supplier<Iterator<InternalRow>> rows) {
    return UntilKilled.of(new NamedSlice(path, named(path, rows)));
  }

  @Override
  public boolean hasNext() {
    if (named(path, rows::hasNext)) {
      return true;
    }
    close();
    return false;
  }

  private void close() {
    Iterator<InternalRow> ended = rows;
    // One of Hudi's that is closed cannot even be asked whether it has more.
    rows = Collections.emptyIterator();
    if (ended instanceof ClosableIterator) {
      named(
          path,
          () -> {
            ((ClosableIterator<InternalRow>) ended).close();
            return true;
          });
    }
  }

  @Override
  public InternalRow next() {
    return named(path, rows::next);
  }

  private static <T> T named(String path, Supplier<T> read) {
    try {
      return read.get();
    } catch (TaskKilledException | HoodieClusteringException complete) {
      throw complete;
    } catch (Exception failed) {
      // Of any kind: Spark's readers throw what Scala need not declare.
      throw new HoodieException(
          String.format("Encountered error while reading file %s. Details:", path), failed);
    }
  }
}
