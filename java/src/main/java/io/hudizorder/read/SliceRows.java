package io.hudizorder.read;

import io.hudizorder.hudi.ObjectSizes;
import io.hudizorder.hudi.SliceReader;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Iterator;
import org.apache.avro.Schema;
import org.apache.hudi.common.model.FileSlice;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;

/** The rows of file slices as tasks read them by Hudi's own reader. */
final class SliceRows implements Serializable {

  private static final long serialVersionUID = 1L;

  private final SliceReader reader;
  private final Schema table;
  private final Schema requested;
  private final SessionSettings settings;

  /**
   * @param session that asks, whose settings tasks go by
   * @param table the table's schema with meta columns
   * @param requested those of its columns that are read
   */
  SliceRows(SparkSession session, SliceReader reader, Schema table, Schema requested) {
    this.settings = new SessionSettings(session);
    this.reader = reader;
    this.table = table;
    this.requested = requested;
  }

  /** Opens a slice; called in the task's own thread. */
  Iterator<InternalRow> of(FileSlice slice) {
    ObjectSizes.reckon();
    return settings.within(() -> NamedSlice.open(slice, () -> read(slice)));
  }

  private Iterator<InternalRow> read(FileSlice slice) {
    try {
      return reader.read(slice, table, requested);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
