package io.hudizorder.spark.shuffle;

import java.util.Iterator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/**
 * The last fields of rows in Spark's binary format dropped without a copy: a field lies where the
 * fields before it and the width of the null bits put it, so that whoever counts fewer fields reads
 * the same row without the last ones.
 */
final class TrailingFields {

  private TrailingFields() {}

  /** Whether rows of so many fields have as many null bits with the others as without. */
  static boolean areDroppable(int kept, int dropped) {
    return UnsafeRow.calculateBitSetWidthInBytes(kept)
        == UnsafeRow.calculateBitSetWidthInBytes(kept + dropped);
  }

  /** Rows of the first {@code kept} fields; like Spark's own, each is valid until the next. */
  static Iterator<InternalRow> drop(Iterator<InternalRow> rows, int kept) {
    UnsafeRow shorter = new UnsafeRow(kept);
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return rows.hasNext();
      }

      @Override
      public InternalRow next() {
        UnsafeRow row = (UnsafeRow) rows.next();
        shorter.pointTo(row.getBaseObject(), row.getBaseOffset(), row.getSizeInBytes());
        return shorter;
      }
    };
  }
}
