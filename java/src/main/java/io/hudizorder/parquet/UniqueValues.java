package io.hudizorder.parquet;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hudi.exception.HoodieException;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.column.values.dictionary.DictionaryValuesWriter;
import org.apache.parquet.column.values.fallback.FallbackValuesWriter;
import org.apache.parquet.io.api.RecordConsumer;

/**
 * Columns whose values hardly ever occur twice, of which Parquet makes a dictionary in vain.
 *
 * <p>Parquet's writer looks each value up in a hash table, and finds out at the end of the first
 * page of a row group whether dictionary and page are smaller than the values themselves. The first
 * page has 20,000 rows: in a table of many columns, whose files have fewer, all values of all its
 * files go through hash tables that are thrown away, which took a quarter of its clustering. Here
 * Parquet's own question is asked after a thousand rows, of what the first page will be if values
 * go on to be drawn as they were until then. Among n that are drawn out of d equally frequent ones,
 * (n^2)/2d occur a second time: the birthday problem. What was written until then is written again
 * without the dictionary, by Parquet itself, as it would have been at the end of the page.
 */
public final class UniqueValues {

  /** How many rows of a row group are written before its columns are judged. */
  public static final int ROWS = 1_000;

  /** Of fewer values that are not null nothing is known. */
  private static final int LEAST_VALUES = ROWS / 2;

  private UniqueValues() {}

  /**
   * Has a consumer write the rest of a row group without those dictionaries that will be thrown
   * away. Where a release of Parquet keeps its dictionaries elsewhere, it is left to find out by
   * itself, later.
   *
   * @throws HoodieException when Parquet fails to write values again
   */
  public static void writePlain(RecordConsumer consumer) {
    List<Object> wasted = new ArrayList<>();
    Method fallBack;
    try {
      Object columns = ColumnStore.of(consumer);
      ParquetProperties properties = (ParquetProperties) ColumnStore.get(columns, "props");
      for (Object column : ((Map<?, ?>) ColumnStore.get(columns, "columns")).values()) {
        Object values = ColumnStore.get(column, "dataColumn");
        if (values instanceof FallbackValuesWriter && isWasted(values, properties)) {
          wasted.add(values);
        }
      }
      fallBack = FallbackValuesWriter.class.getDeclaredMethod("fallBack");
      fallBack.setAccessible(true);
    } catch (ReflectiveOperationException | ClassCastException elsewhere) {
      return; // The files are the same but for the encoding of their values.
    }
    for (Object values : wasted) {
      try {
        fallBack.invoke(values);
      } catch (ReflectiveOperationException e) { // half of the values may be written again
        throw new HoodieException("Cannot write values again without their dictionary", e);
      }
    }
  }

  private static boolean isWasted(Object values, ParquetProperties properties)
      throws ReflectiveOperationException {
    Object first = ((FallbackValuesWriter<?, ?>) values).initialWriter;
    boolean fellBack = (boolean) ColumnStore.get(values, "fellBackAlready");
    if (fellBack || !(first instanceof DictionaryValuesWriter)) {
      return false;
    }
    Object written = ColumnStore.get(first, "encodedValues");
    Method size = written.getClass().getMethod("size");
    Method distinct = DictionaryValuesWriter.class.getDeclaredMethod("getDictionarySize");
    distinct.setAccessible(true);
    return isWasted(
        (int) size.invoke(written),
        (int) distinct.invoke(first),
        (long) ColumnStore.get(values, "rawDataByteSize"),
        ((Number) ColumnStore.get(first, "dictionaryByteSize")).longValue(),
        properties);
  }

  /**
   * Whether the first page and its dictionary will be no smaller than the values.
   *
   * @param count of the values until now, so many of them distinct
   * @param bytes of all these
   * @param distinctBytes of the distinct ones
   */
  private static boolean isWasted(
      int count, int distinct, long bytes, long distinctBytes, ParquetProperties properties) {
    if (count < LEAST_VALUES) {
      return false;
    }
    double ofEach = (double) bytes / count;
    double page =
        Math.min(properties.getPageRowCountLimit(), properties.getPageSizeThreshold() / ofEach);
    double drawnFrom = (double) count * count / (2.0 * Math.max(count - distinct, 0.5));
    double inPage = drawnFrom * -Math.expm1(-page / drawnFrom);
    double bits = Math.ceil(Math.log(inPage) / Math.log(2));
    return inPage * distinctBytes / distinct + page * bits / Byte.SIZE >= page * ofEach;
  }
}
