package io.hudizorder.read;

import io.hudizorder.spark.expression.RowFingerprint;
import java.util.List;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** The rows of one clustering group, as stored now: the latest file slices, logs merged. */
public interface GroupInput {

  /** All columns, meta columns first, counted while they are read. */
  Dataset<Row> rows();

  /** Some top-level columns only; not counted. */
  Dataset<Row> columns(List<String> names);

  /** How many rows {@link #rows} held, known after they were read. */
  long countedRows();

  /** Of {@link #rows}, but for the name of their file, which the writer fills in. */
  default RowFingerprint fingerprint() {
    return RowFingerprint.of(rows(), HoodieRecord.FILENAME_METADATA_FIELD);
  }

  /** How the rows are read, for the report: {@code vectorised}, {@code merging} or both. */
  List<String> readers();
}
