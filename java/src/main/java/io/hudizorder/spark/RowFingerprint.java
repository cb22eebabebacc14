package io.hudizorder.spark;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Objects;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;

/**
 * A fingerprint of a multiset of rows: their number, and the exact sum of a 64-bit hash of every
 * row's columns. The order of rows does not matter, their multiplicity does.
 */
public final class RowFingerprint {

  /** Of no rows. */
  public static final RowFingerprint EMPTY = new RowFingerprint(0, BigDecimal.ZERO);

  private final long rows;
  private final BigDecimal sum;

  private RowFingerprint(long rows, BigDecimal sum) {
    this.rows = rows;
    this.sum = sum;
  }

  /** Reads all rows; {@code ignored} is a column that may differ. */
  public static RowFingerprint of(Dataset<Row> rows, String ignored) {
    Column[] columns =
        Arrays.stream(rows.schema().fields())
            .filter(field -> !field.name().equals(ignored))
            .map(RowFingerprint::hashable)
            .toArray(Column[]::new);
    // A sum of longs would wrap, or fail under ANSI rules: 20 digits hold one, 38 a sum of 10^18.
    Column hash = functions.xxhash64(columns).cast(DataTypes.createDecimalType(20, 0));
    Row result =
        rows.select(hash.as("hash"))
            .agg(
                functions.count(functions.lit(1)),
                functions.sum(functions.col("hash")).cast(DataTypes.createDecimalType(38, 0)))
            .head();
    return new RowFingerprint(
        result.getLong(0), result.isNullAt(1) ? BigDecimal.ZERO : result.getDecimal(1));
  }

  /**
   * Spark hashes no maps. A map counts as its entries in the order of their keys, since Hudi's
   * record writer keeps no other; a map within another type as its JSON.
   */
  private static Column hashable(StructField field) {
    Column column = LaidOutRows.quoted(field.name());
    if (field.dataType() instanceof MapType
        && !((MapType) field.dataType()).valueType().existsRecursively(MapType.class::isInstance)) {
      return functions.array_sort(functions.map_entries(column));
    }
    return field.dataType().existsRecursively(MapType.class::isInstance)
        ? functions.to_json(functions.struct(column))
        : column;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowFingerprint
        && rows == ((RowFingerprint) other).rows
        && sum.compareTo(((RowFingerprint) other).sum) == 0;
  }

  @Override
  public int hashCode() {
    return Objects.hash(rows, sum.stripTrailingZeros());
  }

  @Override
  public String toString() {
    return String.format("%,d rows of hash %s", rows, sum.toBigInteger().toString(16));
  }
}
