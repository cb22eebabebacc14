package io.hudizorder.plan.slice;

import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.spark.SortColumn;
import java.io.Serializable;
import java.sql.Date;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.table.view.TableFileSystemView.SliceView;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.metadata.MetadataPartitionType;
import org.apache.hudi.table.HoodieTable;

/**
 * The least and greatest values of columns in log files, as Hudi's index of column statistics has
 * them, for no log tells its own. It is asked once for a plan, and what it tells travels into the
 * tasks that plan. A wrong entry of it costs bytes, never rows.
 */
public final class LogRanges implements Serializable {

  private static final long serialVersionUID = 1L;

  /** Nothing is known of any log. */
  public static final LogRanges UNKNOWN = new LogRanges(new HashMap<>());

  /** Column by column, of the file groups whose logs hold values. */
  private final HashMap<HoodieFileGroupId, List<List<Comparable<?>>>> ranges;

  private LogRanges(HashMap<HoodieFileGroupId, List<List<Comparable<?>>>> ranges) {
    this.ranges = ranges;
  }

  /**
   * Asks the index of a table; nothing is known where it has none.
   *
   * @param partitions whose latest slices to ask for
   * @param columns whose ranges to tell, in this order
   */
  public static LogRanges of(
      HoodieTable<?, ?, ?, ?> table,
      HoodieWriteConfig config,
      List<String> partitions,
      List<SortColumn> columns) {
    boolean hasLogs = table.getMetaClient().getTableType() == HoodieTableType.MERGE_ON_READ;
    boolean hasIndex =
        table
            .getMetaClient()
            .getTableConfig()
            .getMetadataPartitions()
            .contains(MetadataPartitionType.COLUMN_STATS.getPartitionPath());
    if (!hasLogs || !hasIndex || !config.isMetadataTableEnabled()) {
      return UNKNOWN;
    }
    SliceView view = table.getSliceView();
    List<FileSlice> slices =
        partitions.stream()
            .flatMap(view::getLatestFileSlicesStateless)
            .filter(slice -> slice.getLogFiles().findAny().isPresent())
            .collect(Collectors.toList());
    if (slices.isEmpty()) {
      return UNKNOWN;
    }
    List<Map<Pair<String, String>, List<Comparable<?>>>> told =
        HudiCalls.here()
            .columnRanges(
                table,
                names(slices),
                columns.stream().map(SortColumn::name).collect(Collectors.toList()));
    HashMap<HoodieFileGroupId, List<List<Comparable<?>>>> ranges = new HashMap<>();
    for (FileSlice slice : slices) {
      List<List<Comparable<?>>> inLogs = new ArrayList<>();
      for (int c = 0; c < columns.size(); c++) {
        inLogs.add(range(names(List.of(slice)), told.get(c), columns.get(c)));
      }
      if (inLogs.stream().anyMatch(LogRanges::hasValues)) {
        ranges.put(slice.getFileGroupId(), inLogs);
      }
    }
    return new LogRanges(ranges);
  }

  /**
   * For each column the least and greatest value in a slice's logs, two nulls where they hold none,
   * and nothing where the index does not tell of all of them; nothing at all where they hold no
   * value of any column that it tells.
   */
  public List<List<Comparable<?>>> of(FileSlice slice) {
    return ranges.getOrDefault(slice.getFileGroupId(), Collections.emptyList());
  }

  /** The range that holds what two hold that are known. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  public static List<Comparable<?>> joined(List<Comparable<?>> one, List<Comparable<?>> other) {
    if (!hasValues(one) || !hasValues(other)) {
      return hasValues(other) ? other : one;
    }
    Comparable least = one.get(0);
    Comparable greatest = one.get(1);
    return List.of(
        least.compareTo(other.get(0)) <= 0 ? least : other.get(0),
        greatest.compareTo(other.get(1)) >= 0 ? greatest : other.get(1));
  }

  private static boolean hasValues(List<Comparable<?>> range) {
    return !range.isEmpty() && range.get(0) != null;
  }

  private static List<Pair<String, String>> names(List<FileSlice> slices) {
    return slices.stream()
        .flatMap(
            slice ->
                slice
                    .getLogFiles()
                    .map(HoodieLogFile::getFileName)
                    .map(name -> Pair.of(slice.getPartitionPath(), name)))
        .collect(Collectors.toList());
  }

  private static List<Comparable<?>> range(
      List<Pair<String, String>> logs,
      Map<Pair<String, String>, List<Comparable<?>>> told,
      SortColumn column) {
    List<Comparable<?>> range = SliceRanges.NULLS_ALONE;
    for (Pair<String, String> log : logs) {
      List<Comparable<?>> ends =
          told.getOrDefault(log, Collections.emptyList()).stream()
              .map(LogRanges::asInFooters)
              .collect(Collectors.toList());
      List<Comparable<?>> known =
          ends.contains(Double.NaN) || ends.contains(Float.NaN)
              ? Collections.emptyList()
              : SliceRanges.range(ends, column.type());
      if (known.isEmpty()) {
        return known;
      }
      range = joined(range, known);
    }
    return range;
  }

  private static Comparable<?> asInFooters(Comparable<?> value) {
    if (value instanceof Date) {
      return ((Date) value).toLocalDate();
    }
    return value instanceof Timestamp ? ((Timestamp) value).toInstant() : value;
  }
}
