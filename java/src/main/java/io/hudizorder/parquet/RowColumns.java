package io.hudizorder.parquet;

import java.util.Optional;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * The columns of a row group, each handed its field of a row at once. Parquet's consumer of records
 * hands them the same, but first finds out for each value what is never in doubt where no field is
 * nested: how deep it is, which column it belongs to, and at the end of a row which had no value.
 */
public final class RowColumns {

  private final ColumnWriteStore store;
  private final FieldWriter[] fields;
  private final ColumnWriter[] columns;

  private RowColumns(ColumnWriteStore store, FieldWriter[] fields) {
    this.store = store;
    this.fields = fields;
    this.columns = new ColumnWriter[fields.length];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = store.getColumnWriter(fields[i].path());
    }
  }

  /** Those that a consumer writes, unless it does more with a row than write it. */
  public static Optional<RowColumns> of(RecordConsumer consumer, FieldWriter[] fields) {
    return ColumnStore.ofWriting(consumer).map(store -> new RowColumns(store, fields));
  }

  public void write(InternalRow row) {
    // Hudi drops the last columns of a row where partition columns are not stored.
    int count = row.numFields();
    for (int i = 0; i < count; i++) {
      fields[i].write(row, columns[i]);
    }
    for (int i = count; i < columns.length; i++) {
      columns[i].writeNull(0, 0);
    }
    store.endRecord();
  }
}
