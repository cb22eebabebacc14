package io.hudizorder;

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

/** The order of file slices by the least value of a column, as the footers of base files say it. */
final class KeyOrder {

  private final HoodieStorage storage;
  private final String column;

  private KeyOrder(HoodieStorage storage, String column) {
    this.storage = storage;
    this.column = column;
  }

  static KeyOrder of(HoodieStorage storage, String column) {
    return new KeyOrder(storage, column);
  }

  /** Slices whose least value is unknown come first, ordered by file id. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  List<FileSlice> sort(List<FileSlice> slices) {
    Map<FileSlice, Comparable> least = new IdentityHashMap<>();
    slices.forEach(slice -> least.put(slice, leastValue(slice)));
    Comparator<Comparable> nullsFirst = Comparator.nullsFirst(Comparator.naturalOrder());
    Comparator<FileSlice> byLeast = Comparator.comparing(least::get, nullsFirst);
    List<FileSlice> sorted = new ArrayList<>(slices);
    sorted.sort(byLeast.thenComparing(FileSlice::getFileId));
    return sorted;
  }

  @SuppressWarnings("rawtypes")
  private Comparable leastValue(FileSlice slice) {
    if (!slice.getBaseFile().isPresent()) {
      return null;
    }
    List<HoodieColumnRangeMetadata<Comparable>> ranges =
        new ParquetUtils()
            .readColumnStatsFromMetadata(
                storage,
                slice.getBaseFile().get().getStoragePath(),
                Collections.singletonList(column),
                HoodieIndexVersion.V2);
    return ranges.isEmpty() ? null : ranges.get(0).getMinValue();
  }
}
