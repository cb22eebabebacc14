package io.hudizorder.read;

import java.util.Iterator;
import java.util.function.Supplier;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.exception.HoodieException;
import org.apache.spark.sql.catalyst.InternalRow;

/** The rows of a file slice, which is named, in Spark's words, by what fails while it is read. */
final class NamedSlice implements Iterator<InternalRow> {

  private final FileSlice slice;
  private final Iterator<InternalRow> rows;

  NamedSlice(FileSlice slice, Iterator<InternalRow> rows) {
    this.slice = slice;
    this.rows = rows;
  }

  @Override
  public boolean hasNext() {
    return named(rows::hasNext);
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
          String.format("Encountered error while reading file %s. Details:", path()), failed);
    }
  }

  /** Of the base file, or of the first log where there is none. */
  private String path() {
    return slice.getBaseFile().isPresent()
        ? slice.getBaseFile().get().getPath()
        : slice.getLogFiles().map(log -> log.getPath().toString()).findFirst().orElse("");
  }
}
