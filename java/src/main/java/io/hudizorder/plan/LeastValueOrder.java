package io.hudizorder.plan;

import io.hudizorder.spark.SortColumn;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.util.ParquetUtils;
import org.apache.hudi.metadata.HoodieIndexVersion;
import org.apache.hudi.stats.HoodieColumnRangeMetadata;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.unsafe.types.UTF8String;

/** The order of file slices by the least value of a column, as the footers of base files say it. */
public final class LeastValueOrder {

  /** How Hudi reads the least values of types that files keep in one way only. */
  private static final Map<DataType, Class<?>> OTHERS =
      Map.of(
          DataTypes.BooleanType, Boolean.class,
          DataTypes.DateType, LocalDate.class,
          DataTypes.TimestampType, Instant.class,
          DataTypes.TimestampNTZType, LocalDateTime.class);

  private final HoodieStorage storage;
  private final SortColumn column;

  private LeastValueOrder(HoodieStorage storage, SortColumn column) {
    this.storage = storage;
    this.column = column;
  }

  public static LeastValueOrder of(HoodieStorage storage, SortColumn column) {
    return new LeastValueOrder(storage, column);
  }

  /** Slices whose least value is unknown come first, ordered by file id. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  public List<FileSlice> sort(List<FileSlice> slices) {
    Map<FileSlice, Comparable> least = new IdentityHashMap<>();
    slices.forEach(slice -> least.put(slice, leastValue(slice)));
    Comparator<Comparable> nullsFirst = Comparator.nullsFirst(Comparator.naturalOrder());
    Comparator<FileSlice> byLeast = Comparator.comparing(least::get, nullsFirst);
    List<FileSlice> sorted = new ArrayList<>(slices);
    sorted.sort(byLeast.thenComparing(FileSlice::getFileId));
    return sorted;
  }

  private Comparable<?> leastValue(FileSlice slice) {
    return slice.getBaseFile().isPresent()
        ? leastValue(slice.getBaseFile().get().getStoragePath())
        : null;
  }

  /** Null of a file that tells no least value, or one that is none of the table's type. */
  @SuppressWarnings("rawtypes")
  private Comparable<?> leastValue(StoragePath file) {
    try {
      List<HoodieColumnRangeMetadata<Comparable>> ranges =
          new ParquetUtils()
              .readColumnStatsFromMetadata(
                  storage, file, Collections.singletonList(column.name()), HoodieIndexVersion.V2);
      return ranges.isEmpty() ? null : widened(ranges.get(0).getMinValue(), column.type());
    } catch (IllegalArgumentException | UnsupportedOperationException unknown) {
      // Hudi refuses some types, such as the timestamps of 96 bits that Spark once wrote.
      return null;
    }
  }

  /**
   * A value of a file as one of the table's type, which may have become wider since the file was
   * written, so that values of all files compare; null where there is no such value.
   */
  private static Comparable<?> widened(Comparable<?> value, DataType type) {
    if (value instanceof LocalTime) {
      return widened(((LocalTime) value).toNanoOfDay(), type);
    }
    if (type instanceof NumericType) {
      return value instanceof Number ? number((Number) value, type) : null;
    }
    if (type instanceof StringType || type instanceof BinaryType) {
      return value == null ? null : text(value);
    }
    return OTHERS.getOrDefault(type, Void.class).isInstance(value) ? value : null;
  }

  private static Comparable<?> number(Number value, DataType type) {
    if (type instanceof DecimalType) {
      return new BigDecimal(value.toString());
    }
    boolean fraction = type instanceof DoubleType || type instanceof FloatType;
    return fraction ? (Comparable<?>) value.doubleValue() : (Comparable<?>) value.longValue();
  }

  /** Text and bytes in the order of unsigned bytes; numbers that became text have another order. */
  private static Comparable<?> text(Comparable<?> value) {
    if (value instanceof ByteBuffer) {
      ByteBuffer bytes = ((ByteBuffer) value).duplicate();
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      return UTF8String.fromBytes(copy);
    }
    return value instanceof Number ? null : UTF8String.fromString(value.toString());
  }
}
