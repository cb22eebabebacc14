package io.hudizorder.plan.upkeep;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.plan.slice.LogRanges;
import io.hudizorder.plan.slice.RowLogs;
import io.hudizorder.plan.slice.RunId;
import io.hudizorder.plan.slice.SliceRanges;
import io.hudizorder.plan.slice.SliceSizes;
import io.hudizorder.spark.SortColumn;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.storage.HoodieStorage;

/** What to do for a partition after its latest writes; it travels into the tasks that plan. */
public final class PartitionUpkeep implements Serializable {

  private static final long serialVersionUID = 1L;

  private final List<SortColumn> columns;
  private final double[] weights;
  private final Cutting cutting;
  private final int layout;
  private final long fileBytes;
  private final long maxBytes;
  private final double readThreshold;
  private final LastPlan last;
  private final LargeFiles large;
  private final boolean evolvedOnRead;

  /**
   * @param fileBytes of a full file
   * @param maxBytes that a plan may rewrite
   * @param readThreshold times the optimum that may be read before larger runs are laid out anew
   * @param last plan of the table
   * @param evolvedOnRead whether files may have columns by other names
   */
  public PartitionUpkeep(
      LayoutSpec spec,
      List<SortColumn> columns,
      long fileBytes,
      long maxBytes,
      double readThreshold,
      LastPlan last,
      boolean evolvedOnRead) {
    this.columns = new ArrayList<>(columns);
    this.weights = spec.weights();
    this.cutting = Cutting.of(spec);
    this.layout = RunId.layout(spec, fileBytes);
    this.fileBytes = fileBytes;
    this.maxBytes = maxBytes;
    this.readThreshold = readThreshold;
    this.last = last;
    this.large = LargeFiles.after(last, maxBytes);
    this.evolvedOnRead = evolvedOnRead;
  }

  /**
   * Chooses what to lay out.
   *
   * @param slices of one partition
   * @param sizes of the slices
   * @param logs what is known of theirs
   */
  public PartitionChoice choose(
      HoodieStorage storage, List<FileSlice> slices, SliceSizes sizes, LogRanges logs) {
    if (isUntouched(slices, logs) && !hasStepsLeftOut(slices)) {
      return PartitionChoice.all(slices, FileReason.LAID_OUT);
    }
    UpkeepPolicy policy = policy(storage, slices, sizes, logs);
    List<UpkeepStep> steps = policy.steps();
    return new PartitionChoice(steps, policy.reasons(steps), Optional.of(policy.reading()));
  }

  /** Chooses all, and finds out what that gains; takes what {@link #choose} does. */
  public PartitionChoice all(
      HoodieStorage storage, List<FileSlice> slices, SliceSizes sizes, LogRanges logs) {
    return new PartitionChoice(
        Collections.emptyList(),
        PartitionChoice.same(slices, FileReason.FULL),
        Optional.of(policy(storage, slices, sizes, logs).reading()));
  }

  private UpkeepPolicy policy(
      HoodieStorage storage, List<FileSlice> slices, SliceSizes sizes, LogRanges logs) {
    List<SliceRanges.Told> told = new SliceRanges(storage, columns, evolvedOnRead).of(slices);
    List<FileNumbers> files = new ArrayList<>();
    for (int s = 0; s < slices.size(); s++) {
      FileSlice slice = slices.get(s);
      String id = slice.getFileId();
      FileNumbers file =
          new FileNumbers(
              id,
              sizes.of(slice),
              layoutOf(id, told.get(s)),
              RunId.of(layout, id).orElse(null),
              isAsLaidOut(slice) ? commit(slice) : last.seenAs(commit(slice)),
              told.get(s).ranges());
      List<List<Comparable<?>>> inLogs = logs.of(slice);
      files.add(inLogs.isEmpty() ? file : file.merged(inLogs, timeOfLogs(slice)));
    }
    PartitionReading reading = new PartitionReading(files, weights, fileBytes, cutting);
    return new UpkeepPolicy(
        reading, weights, maxBytes, readThreshold, large, hasStepsLeftOut(slices));
  }

  /** Whether plans before may have left out steps of these slices' partition. */
  private boolean hasStepsLeftOut(List<FileSlice> slices) {
    return last.hasLeftStepsIn(slices.isEmpty() ? "" : slices.get(0).getPartitionPath());
  }

  private FileNumbers.LayoutState layoutOf(String fileId, SliceRanges.Told told) {
    boolean clustered = RunId.isOfRun(fileId);
    if (!clustered && !told.layout().isPresent()) {
      return FileNumbers.LayoutState.UNKNOWN;
    }
    boolean wanted =
        clustered ? RunId.of(layout, fileId).isPresent() : told.layout().get() == layout;
    return wanted ? FileNumbers.LayoutState.WANTED : FileNumbers.LayoutState.OTHER;
  }

  /** Whether a listing shows that nothing was written since files were laid out. */
  private boolean isUntouched(List<FileSlice> slices, LogRanges logs) {
    return slices.stream().allMatch(slice -> logs.of(slice).isEmpty() && isAsLaidOut(slice));
  }

  /** Whether the base file is as a clustering has left it, whenever that was planned. */
  private boolean isAsLaidOut(FileSlice slice) {
    return RunId.of(layout, slice.getFileId())
        .filter(run -> run.isLeftBy(commit(slice)))
        .isPresent();
  }

  private String timeOfLogs(FileSlice slice) {
    return RowLogs.of(slice)
        .map(FormatCalls.here()::time)
        .map(last::seenAs)
        .max(Comparator.naturalOrder())
        .orElse("");
  }

  private static String commit(FileSlice slice) {
    return slice.getBaseFile().map(file -> file.getCommitTime()).orElse("");
  }
}
