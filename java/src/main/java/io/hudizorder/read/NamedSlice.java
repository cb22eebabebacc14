package io.hudizorder.read;

import java.util.Collections;
import java.util.Iterator;
import java.util.function.Supplier;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.util.collection.ClosableIterator;
import org.apache.hudi.exception.HoodieException;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * The rows of a file slice, which is named, in Spark's words, by what fails while it is read. It is
 * closed at its end: a task that reads several would else hold what all of their logs told.
 */
final class NamedSlice implements Iterator<InternalRow> {

  private final FileSlice slice;
  private Iterator<InternalRow> rows;

  NamedSlice(FileSlice slice, Iterator<InternalRow> rows) {
    this.slice = slice;
    this.rows = rows;
  }

  @Override
  public boolean hasNext() {
    if (named(rows::hasNext)) {
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
          () -> {
            ((ClosableIterator<InternalRow>) ended).close();
            return true;
          });
    }
  }

  @Override
  public InternalRow next() {
    return named(rows::next);
  }

  private <T> T named(Supplier<T> read) {
    try {
      return read.get();
    } catch (RuntimeException failed) {
      throw new HoodieException(
          String.format("Encountered error while reading file %s. Details:", path(slice)), failed);
    }
  }

  /** Of the base file, or of the first log where there is none. */
  static String path(FileSlice slice) {
    return slice.getBaseFile().isPresent()
        ? slice.getBaseFile().get().getPath()
        : slice.getLogFiles().map(log -> log.getPath().toString()).findFirst().orElse("");
  }
}
