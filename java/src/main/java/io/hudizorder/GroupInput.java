package io.hudizorder;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** The rows of one clustering group, as stored now: the latest file slices, logs merged. */
interface GroupInput {

  /** All columns, meta columns first, counted while they are read. */
  Dataset<Row> rows();

  /** Some top-level columns only; not counted. */
  Dataset<Row> columns(List<String> names);

  /** About how many rows there are, known before they are read. */
  long estimatedRows();

  /** How many rows {@link #rows} held, known after they were read. */
  long countedRows();

  /** How the rows are read, for the report: {@code vectorised}, {@code merging} or both. */
  List<String> readers();
}
