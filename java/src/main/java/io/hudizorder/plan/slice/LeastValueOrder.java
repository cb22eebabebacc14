package io.hudizorder.plan.slice;

import io.hudizorder.spark.SortColumn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.storage.HoodieStorage;

/** The order of file slices by the least value of a column, as the footers of base files say it. */
public final class LeastValueOrder {

  private final SliceRanges ranges;

  private LeastValueOrder(SliceRanges ranges) {
    this.ranges = ranges;
  }

  public static LeastValueOrder of(HoodieStorage storage, SortColumn column) {
    return new LeastValueOrder(new SliceRanges(storage, List.of(column)));
  }

  /** Slices whose least value is unknown come first, ordered by file id. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  public List<FileSlice> sort(List<FileSlice> slices) {
    Map<FileSlice, Comparable> least = new IdentityHashMap<>();
    List<SliceRanges.Told> found = ranges.of(slices);
    for (int s = 0; s < slices.size(); s++) {
      List<Comparable<?>> range = found.get(s).ranges().get(0);
      least.put(slices.get(s), range.isEmpty() ? null : range.get(0));
    }
    Comparator<Comparable> nullsFirst = Comparator.nullsFirst(Comparator.naturalOrder());
    Comparator<FileSlice> byLeast = Comparator.comparing(least::get, nullsFirst);
    List<FileSlice> sorted = new ArrayList<>(slices);
    sorted.sort(byLeast.thenComparing(FileSlice::getFileId));
    return sorted;
  }
}
