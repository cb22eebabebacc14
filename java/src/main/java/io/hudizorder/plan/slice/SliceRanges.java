package io.hudizorder.plan.slice;

import io.hudizorder.hudi.SomeAtATime;
import io.hudizorder.parquet.FooterRange;
import io.hudizorder.parquet.Footers;
import io.hudizorder.spark.SortColumn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The least and greatest values of columns in base files, as the footers say it: Hudi's index of
 * column statistics may be without a column, or hold 0 for both where a file has a NaN or nulls
 * alone, and is no quicker.
 */
public final class SliceRanges {

  /** How many footers are read at once: the time goes into waiting for the storage. */
  private static final int AT_ONCE = 16;

  /** The range of a column that has nulls alone. */
  public static final List<Comparable<?>> NULLS_ALONE =
      Collections.unmodifiableList(Arrays.asList(null, null));

  /** How footers tell the values of types that files keep in one way only. */
  private static final Map<DataType, Class<?>> OTHERS =
      Map.of(
          DataTypes.BooleanType, Boolean.class,
          DataTypes.DateType, LocalDate.class,
          DataTypes.TimestampType, Instant.class,
          DataTypes.TimestampNTZType, LocalDateTime.class);

  /** What a base file tells. */
  public static final class Told {
    private final List<List<Comparable<?>>> ranges;
    private final Optional<Integer> layout;

    private Told(List<List<Comparable<?>>> ranges, Optional<Integer> layout) {
      this.ranges = ranges;
      this.layout = layout;
    }

    /**
     * For each column the least and greatest value, or {@link #NULLS_ALONE}; nothing where the file
     * does not tell, or tells one that is none of the table's type.
     */
    public List<List<Comparable<?>>> ranges() {
      return ranges;
    }

    /** The layout of a {@link LayoutMark}. */
    public Optional<Integer> layout() {
      return layout;
    }
  }

  private final HoodieStorage storage;
  private final List<SortColumn> columns;
  private final boolean evolvedOnRead;

  /**
   * @param columns whose ranges to tell, in this order
   */
  public SliceRanges(HoodieStorage storage, List<SortColumn> columns) {
    this(storage, columns, false);
  }

  /**
   * @param columns whose ranges to tell, in this order
   * @param evolvedOnRead whether a file may have a column by another name, so that one without it
   *     tells nothing of its values; otherwise these are nulls, for the column was added since
   */
  public SliceRanges(HoodieStorage storage, List<SortColumn> columns, boolean evolvedOnRead) {
    this.storage = storage;
    this.columns = columns;
    this.evolvedOnRead = evolvedOnRead;
  }

  /** What the base file of each slice tells. */
  public List<Told> of(List<FileSlice> slices) {
    return SomeAtATime.of(slices, AT_ONCE, "the footers of base files", this::of);
  }

  private Told of(FileSlice slice) {
    if (!slice.getBaseFile().isPresent()) {
      return new Told(
          Collections.nCopies(columns.size(), Collections.emptyList()), Optional.empty());
    }
    HoodieBaseFile base = slice.getBaseFile().get();
    ParquetMetadata footer = footer(base.getStoragePath());
    List<List<Comparable<?>>> told =
        FooterRange.of(footer, columns.stream().map(SortColumn::name).collect(Collectors.toList()));
    List<List<Comparable<?>>> ranges = new ArrayList<>();
    for (int c = 0; c < told.size(); c++) {
      // What the skeleton of a bootstrap is without lies in another file.
      boolean elsewhere =
          base.getBootstrapBaseFile().isPresent()
              || evolvedOnRead && !has(footer, columns.get(c).name());
      ranges.add(elsewhere ? Collections.emptyList() : range(told.get(c), columns.get(c).type()));
    }
    return new Told(ranges, LayoutMark.of(footer));
  }

  private static boolean has(ParquetMetadata footer, String column) {
    return footer.getFileMetaData().getSchema().containsPath(column.split("\\."));
  }

  private ParquetMetadata footer(StoragePath file) {
    try {
      return Footers.read(new Path(file.toUri()), storage.getConf().unwrapAs(Configuration.class));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the footer of base file '" + file + "'", e);
    }
  }

  /** Ends of a range as values of the table's type, by which those of all files compare. */
  static List<Comparable<?>> range(List<Comparable<?>> told, DataType type) {
    if (told.isEmpty()) {
      return told;
    }
    if (told.get(0) == null) {
      return NULLS_ALONE;
    }
    Comparable<?> least = widened(told.get(0), type);
    Comparable<?> greatest = widened(told.get(1), type);
    return least == null || greatest == null ? Collections.emptyList() : List.of(least, greatest);
  }

  /**
   * A value of a file as one of the table's type, which may have become wider since the file was
   * written, so that values of all files compare; null where there is no such value.
   */
  private static Comparable<?> widened(Comparable<?> value, DataType type) {
    if (type instanceof NumericType) {
      return value instanceof Number && exists((Number) value, type)
          ? number((Number) value, type)
          : null;
    }
    if (type instanceof StringType || type instanceof BinaryType) {
      return text(value);
    }
    return OTHERS.getOrDefault(type, Void.class).isInstance(value) ? value : null;
  }

  /** No decimal is infinite. */
  private static boolean exists(Number value, DataType type) {
    return !(type instanceof DecimalType) || Double.isFinite(value.doubleValue());
  }

  /** A number as one of a type of the table, so that it compares with those of files. */
  public static Comparable<?> number(Number value, DataType type) {
    if (type instanceof DecimalType) {
      // Two are equal that differ in scale alone, as those of files and of an index may.
      return new BigDecimal(value.toString()).stripTrailingZeros();
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
