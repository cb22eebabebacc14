package io.hudizorder.hudi;

import java.io.IOException;
import java.io.Serializable;
import java.util.Iterator;
import org.apache.avro.Schema;
import org.apache.hudi.common.model.FileSlice;
import org.apache.spark.sql.catalyst.InternalRow;

/** Reads a file slice within a task: Hudi's own reader, which merges logs. */
public interface SliceReader extends Serializable {

  /**
   * The rows, some of which may be the same object; closed when the task ends, if not before.
   *
   * @param table the table's schema with meta columns
   * @param requested those of its columns that are read
   */
  Iterator<InternalRow> read(FileSlice slice, Schema table, Schema requested) throws IOException;
}
