package io.hudizorder.parquet;

import io.hudizorder.option.ChosenValues;
import io.hudizorder.option.OwnOptions;
import org.apache.hudi.exception.HoodieException;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.io.api.RecordConsumer;

/**
 * The most rows of a page, {@link OwnOptions#PAGE_ROW_LIMIT}.
 *
 * <p>Hudi 1.2.0 does not pass such a limit to Parquet, so that Parquet's own of 20,000 rows stays.
 * Our writers put it where Parquet's column store looks it up. That is a private field, named in
 * the error should a release of Parquet have another.
 */
public final class PageRowLimit {

  /** Parquet looks at the size of a page for the first time after so many rows. */
  private static final int LEAST_ROWS = 100;

  private PageRowLimit() {}

  /** The limit that was chosen, or Parquet's own. */
  public static long of(ChosenValues values) {
    return values.number(OwnOptions.PAGE_ROW_LIMIT, LEAST_ROWS, Integer.MAX_VALUE, "rows");
  }

  /**
   * Gives the limit to all pages that a consumer writes.
   *
   * @throws HoodieException when Parquet keeps its limit elsewhere
   */
  public static void apply(RecordConsumer consumer, long rows) {
    if (rows == ParquetProperties.DEFAULT_PAGE_ROW_COUNT_LIMIT) {
      return;
    }
    try {
      Object properties = ColumnStore.get(ColumnStore.of(consumer), "props");
      ColumnStore.field(ParquetProperties.class, "pageRowCountLimit")
          .setInt(properties, (int) rows);
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new HoodieException(
          String.format(
              "Cannot limit the rows of a page: the Parquet library of this Spark keeps the limit"
                  + " elsewhere; leave '%s' unset",
              OwnOptions.PAGE_ROW_LIMIT.key()),
          e);
    }
  }
}
