package io.hudizorder.plan.slice;

import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.hudi.InParts;
import io.hudizorder.spark.SortColumn;
import java.io.Serializable;
import java.sql.Date;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.BaseFile;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.metadata.MetadataPartitionType;
import org.apache.hudi.table.HoodieTable;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The least and greatest values of columns in log files, as Hudi's index of column statistics has
 * them, for no log tells its own. It is asked once for a plan, and what it tells travels into the
 * tasks that plan. A wrong entry of it costs bytes, never rows.
 */
public final class LogRanges implements Serializable {

  private static final long serialVersionUID = 1L;

  private static final Logger LOG = LoggerFactory.getLogger(LogRanges.class);

  /** Of how many files the index is asked at once: the driver has what it tells of all columns. */
  public static final int AT_ONCE = 20_000;

  /** Nothing is known of any log. */
  public static final LogRanges UNKNOWN = new LogRanges(new HashMap<>());

  /** Column by column, of the file groups whose logs hold more than their base files. */
  private final HashMap<HoodieFileGroupId, List<List<Comparable<?>>>> ranges;

  private LogRanges(HashMap<HoodieFileGroupId, List<List<Comparable<?>>>> ranges) {
    this.ranges = ranges;
  }

  /**
   * Asks the index of a table; nothing is known where it has none, or none that can be read.
   *
   * @param engine that lists partitions
   * @param partitions whose latest slices to ask for
   * @param eligible those that a plan may take
   * @param columns whose ranges to tell, in this order
   * @param atOnce files of which it is asked at once
   */
  public static LogRanges of(
      HoodieTable<?, ?, ?, ?> table,
      HoodieEngineContext engine,
      HoodieWriteConfig config,
      List<String> partitions,
      Eligible eligible,
      List<SortColumn> columns,
      int atOnce) {
    boolean hasLogs = table.getMetaClient().getTableType() == HoodieTableType.MERGE_ON_READ;
    boolean hasIndex =
        table
            .getMetaClient()
            .getTableConfig()
            .getMetadataPartitions()
            .contains(MetadataPartitionType.COLUMN_STATS.getPartitionPath());
    if (!hasLogs || !hasIndex || !config.isMetadataTableEnabled() || partitions.isEmpty()) {
      return UNKNOWN;
    }
    List<SliceFiles> logged =
        engine
            .map(
                partitions,
                partition -> SliceFiles.withLogs(table, partition, eligible),
                partitions.size())
            .stream()
            .flatMap(List::stream)
            .collect(Collectors.toList());
    List<String> names = columns.stream().map(SortColumn::name).collect(Collectors.toList());
    HashMap<HoodieFileGroupId, List<List<Comparable<?>>>> ranges = new HashMap<>();
    try {
      for (List<SliceFiles> some : InParts.of(logged, slice -> slice.all().count(), atOnce)) {
        List<Pair<String, String>> files =
            some.stream().flatMap(SliceFiles::all).collect(Collectors.toList());
        ranges.putAll(of(some, HudiCalls.here().columnRanges(table, files, names), columns));
      }
      return new LogRanges(ranges);
    } catch (RuntimeException e) {
      // The index only betters a plan, and the commit writes to it whatever is wrong with it.
      LOG.warn(
          "The plan leaves rows alone that log files have moved: what the index of column statistics"
              + " of '{}' has of these could not be read",
          config.getBasePath(),
          e);
      return UNKNOWN;
    }
  }

  private static HashMap<HoodieFileGroupId, List<List<Comparable<?>>>> of(
      List<SliceFiles> logged,
      List<Map<Pair<String, String>, List<Comparable<?>>>> told,
      List<SortColumn> columns) {
    HashMap<HoodieFileGroupId, List<List<Comparable<?>>>> ranges = new HashMap<>();
    for (SliceFiles files : logged) {
      List<List<Comparable<?>>> inLogs = new ArrayList<>();
      boolean more = false;
      for (int c = 0; c < columns.size(); c++) {
        DataType type = columns.get(c).type();
        List<Comparable<?>> base = range(files.base(), told.get(c), type);
        List<Comparable<?>> logs = range(files.logs(), told.get(c), type);
        inLogs.add(logs);
        more |= hasValues(logs) && !(hasValues(base) && joined(base, logs).equals(base));
      }
      if (more) {
        ranges.put(files.group, inLogs);
      }
    }
    return ranges;
  }

  /**
   * For each column the least and greatest value in a slice's logs, two nulls where they hold none,
   * and nothing where the index does not tell of all of them; nothing at all where it does not tell
   * that they hold a value outside of the ranges of the base file.
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

  private static List<Comparable<?>> range(
      List<Pair<String, String>> files,
      Map<Pair<String, String>, List<Comparable<?>>> told,
      DataType type) {
    List<Comparable<?>> range = SliceRanges.NULLS_ALONE;
    for (Pair<String, String> file : files) {
      List<Comparable<?>> known = known(told.getOrDefault(file, Collections.emptyList()), type);
      if (known.isEmpty()) {
        return known;
      }
      range = joined(range, known);
    }
    return range;
  }

  private static List<Comparable<?>> known(List<Comparable<?>> ends, DataType type) {
    // Hudi compares bytes as signed ones; and a NaN is no end of a range.
    boolean uncertain =
        type instanceof BinaryType || ends.contains(Double.NaN) || ends.contains(Float.NaN);
    return uncertain
        ? Collections.emptyList()
        : SliceRanges.range(
            ends.stream().map(LogRanges::asInFooters).collect(Collectors.toList()), type);
  }

  private static Comparable<?> asInFooters(Comparable<?> value) {
    if (value instanceof Date) {
      return ((Date) value).toLocalDate();
    }
    return value instanceof Timestamp ? ((Timestamp) value).toInstant() : value;
  }

  /** Which slices a plan may take, as tasks ask it. */
  @FunctionalInterface
  public interface Eligible extends Predicate<FileSlice>, Serializable {}

  /** The names of a slice's files. */
  private static final class SliceFiles implements Serializable {

    private static final long serialVersionUID = 1L;

    private final HoodieFileGroupId group;
    private final String base;
    private final ArrayList<String> logs;

    private SliceFiles(FileSlice slice) {
      this.group = slice.getFileGroupId();
      this.base = slice.getBaseFile().map(BaseFile::getFileName).orElse(null);
      this.logs =
          RowLogs.of(slice)
              .map(HoodieLogFile::getFileName)
              .collect(Collectors.toCollection(ArrayList::new));
    }

    /** Those of the eligible slices of a partition that have logs. */
    static List<SliceFiles> withLogs(
        HoodieTable<?, ?, ?, ?> table, String partition, Eligible eligible) {
      return table
          .getSliceView()
          .getLatestFileSlicesStateless(partition)
          .filter(eligible)
          .map(SliceFiles::new)
          .filter(files -> !files.logs.isEmpty())
          .collect(Collectors.toCollection(ArrayList::new));
    }

    Stream<Pair<String, String>> all() {
      return Stream.concat(base().stream(), logs().stream());
    }

    List<Pair<String, String>> base() {
      return base == null ? Collections.emptyList() : List.of(inPartition(base));
    }

    List<Pair<String, String>> logs() {
      return logs.stream().map(this::inPartition).collect(Collectors.toList());
    }

    private Pair<String, String> inPartition(String name) {
      return Pair.of(group.getPartitionPath(), name);
    }
  }
}
