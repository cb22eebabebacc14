package io.hudizorder.plan;

import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.spark.SortColumn;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.storage.HoodieStorage;

/** What to do for a partition after its latest writes; it travels into the tasks that plan. */
public final class PartitionUpkeep implements Serializable {

  private static final long serialVersionUID = 1L;

  private final List<SortColumn> columns;
  private final double[] weights;
  private final int layout;
  private final long fileBytes;
  private final long maxBytes;

  /**
   * @param fileBytes of a full file
   * @param maxBytes that a plan may rewrite
   */
  public PartitionUpkeep(LayoutSpec spec, List<SortColumn> columns, long fileBytes, long maxBytes) {
    this.columns = new ArrayList<>(columns);
    this.weights = spec.weights();
    this.layout = RunId.layout(spec, fileBytes);
    this.fileBytes = fileBytes;
    this.maxBytes = maxBytes;
  }

  /**
   * Chooses what to lay out next.
   *
   * @param slices of one partition
   * @param sizes of the slices
   */
  public Optional<UpkeepStep> next(
      HoodieStorage storage, List<FileSlice> slices, SliceSizes sizes) {
    if (slices.isEmpty() || isOneRun(slices)) {
      return Optional.empty();
    }
    List<List<List<Comparable<?>>>> ranges = new FooterRanges(storage, columns).of(slices);
    List<FileNumbers> files = new ArrayList<>();
    for (int s = 0; s < slices.size(); s++) {
      FileSlice slice = slices.get(s);
      String id = slice.getFileId();
      // Files of an earlier layout have to be led over to this one, however they lie.
      boolean foreign = !RunId.isOfRun(id) && slice.getBaseFile().isPresent();
      RunId run = RunId.of(layout, id).orElse(null);
      files.add(
          new FileNumbers(
              id,
              sizes.of(slice),
              run,
              run != null || foreign ? commit(slice) : "",
              ranges.get(s)));
    }
    return new UpkeepPolicy(files, weights, fileBytes, maxBytes).next();
  }

  /** Whether a listing shows that there is nothing to do: no footer is read. */
  private boolean isOneRun(List<FileSlice> slices) {
    Set<Optional<RunId>> runs =
        slices.stream()
            .map(slice -> RunId.of(layout, slice.getFileId()))
            .collect(Collectors.toSet());
    Set<String> commits = slices.stream().map(PartitionUpkeep::commit).collect(Collectors.toSet());
    return runs.size() == 1
        && commits.size() == 1
        && !Collections.singleton(Optional.empty()).equals(runs);
  }

  private static String commit(FileSlice slice) {
    return slice.getBaseFile().map(file -> file.getCommitTime()).orElse("");
  }
}
