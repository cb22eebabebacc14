package io.hudizorder.plan.upkeep;

import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.plan.slice.SliceRanges;
import io.hudizorder.plan.slice.SliceSizes;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.fit.PartitionWeights;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.table.view.HoodieTableFileSystemView;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Weights for rows that are about to join those of a partition, such as a day's: a column of which
 * they span a part is cut by less, as {@link UpkeepPolicy} does for files.
 */
public final class LoadWeights implements PartitionWeights {

  /** Footers that are read of a partition: any files tell about what range all of them have. */
  private static final int MOST_FILES = 256;

  private final HoodieTableFileSystemView view;
  private final HoodieStorage storage;
  private final SliceSizes sizes;
  private final List<SortColumn> columns;
  private final double[] weights;

  /**
   * @param view of the table
   */
  public LoadWeights(
      HoodieTableFileSystemView view,
      HoodieStorage storage,
      HoodieWriteConfig config,
      LayoutSpec spec,
      List<SortColumn> columns) {
    this.view = view;
    this.storage = storage;
    this.sizes = new SliceSizes(config);
    this.columns = columns;
    this.weights = spec.weights();
  }

  @Override
  public double[] of(String path, double bytes, List<List<Object>> ranges) {
    List<FileSlice> slices = view.getLatestFileSlices(path).collect(Collectors.toList());
    if (slices.isEmpty()) {
      return weights.clone();
    }
    List<FileSlice> some =
        slices.stream()
            .sorted(Comparator.comparing(FileSlice::getFileId))
            .limit(MOST_FILES)
            .collect(Collectors.toList());
    List<SliceRanges.Told> told = new SliceRanges(storage, columns).of(some);
    List<FileNumbers> files = new ArrayList<>();
    for (int s = 0; s < some.size(); s++) {
      files.add(numbers(some.get(s).getFileId(), sizes.of(some.get(s)), told.get(s).ranges()));
    }
    double part = (double) sizes.total(some) / Math.max(1, sizes.total(slices));
    files.add(numbers("", Math.round(bytes * part), comparable(ranges)));
    double[] spans = new FileBoxes(files, weights.length).spans(List.of(files.size() - 1));
    return FileBoxes.weightsBySpans(weights, spans);
  }

  private static FileNumbers numbers(String id, long bytes, List<List<Comparable<?>>> ranges) {
    return new FileNumbers(id, bytes, FileNumbers.LayoutState.UNKNOWN, null, "", ranges);
  }

  private List<List<Comparable<?>>> comparable(List<List<Object>> ranges) {
    List<List<Comparable<?>>> found = new ArrayList<>();
    for (int c = 0; c < columns.size(); c++) {
      DataType type = columns.get(c).type();
      List<Object> range = ranges.get(c);
      found.add(
          range.isEmpty()
              ? Collections.emptyList()
              : List.of(comparable(range.get(0), type), comparable(range.get(1), type)));
    }
    return found;
  }

  /** A value of Spark's as one that {@link SliceRanges} gives of a file. */
  private static Comparable<?> comparable(Object value, DataType type) {
    if (value instanceof Decimal) {
      return ((Decimal) value).toJavaBigDecimal();
    }
    if (type.equals(DataTypes.DateType)) {
      return LocalDate.ofEpochDay((Integer) value);
    }
    if (type.equals(DataTypes.TimestampType)) {
      return Instant.EPOCH.plus((Long) value, ChronoUnit.MICROS);
    }
    if (type.equals(DataTypes.TimestampNTZType)) {
      return LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC)
          .plus((Long) value, ChronoUnit.MICROS);
    }
    if (value instanceof byte[]) {
      return UTF8String.fromBytes((byte[]) value);
    }
    if (value instanceof Number) {
      return SliceRanges.number((Number) value, type);
    }
    return (Comparable<?>) value;
  }
}
