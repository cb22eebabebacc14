package io.hudizorder.plan.upkeep;

import io.hudizorder.plan.slice.LogRanges;
import io.hudizorder.plan.slice.RunId;
import io.hudizorder.plan.slice.SliceRanges;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** A file slice as upkeep sees it. */
final class FileNumbers {

  /** What is known of how a file is laid out. */
  enum LayoutState {
    /** Nothing but its ranges. */
    UNKNOWN,
    /** As is wanted. */
    WANTED,
    /** In another way, by a clustering or a bulk insert. */
    OTHER
  }

  /** The range of a column that has nulls alone, which lie below all values. */
  static final List<Comparable<?>> NO_VALUES = SliceRanges.NULLS_ALONE;

  private final String id;
  private final long bytes;
  private final LayoutState layout;
  private final RunId run;
  private final String commit;
  private final boolean changed;
  private final List<List<Comparable<?>>> ranges;

  /**
   * @param id of the file group
   * @param bytes that it takes as Parquet
   * @param layout that it is known to have
   * @param run of a clustering that it belongs to; null for none of the wanted layout
   * @param commit that wrote its base file, or the logs that are counted in; empty where there is
   *     neither
   * @param ranges least and greatest value column by column, or {@link #NO_VALUES}; empty where
   *     nobody knows
   */
  FileNumbers(
      String id,
      long bytes,
      LayoutState layout,
      RunId run,
      String commit,
      List<List<Comparable<?>>> ranges) {
    this(id, bytes, layout, run, commit, run != null && !run.isLeftBy(commit), ranges);
  }

  private FileNumbers(
      String id,
      long bytes,
      LayoutState layout,
      RunId run,
      String commit,
      boolean changed,
      List<List<Comparable<?>>> ranges) {
    this.id = id;
    this.bytes = bytes;
    this.layout = layout;
    this.run = run;
    this.commit = commit;
    this.changed = changed;
    this.ranges = ranges;
  }

  /**
   * The slice with what its logs hold: as it will be once they are merged. It stays what it was
   * where they hold nothing outside of its ranges, nor anything that nobody knows the range of.
   *
   * @param logs for each column the least and greatest value, two nulls for none, nothing where
   *     nobody knows
   * @param time of the last of them
   */
  FileNumbers merged(List<List<Comparable<?>>> logs, String time) {
    List<List<Comparable<?>>> joined = new ArrayList<>();
    for (int c = 0; c < logs.size(); c++) {
      boolean unknown = range(c).isEmpty() && !commit.isEmpty();
      joined.add(unknown ? range(c) : LogRanges.joined(range(c), logs.get(c)));
    }
    if (joined.equals(ranges)) {
      return this;
    }
    // A write that merges them keeps the name of the file, by which runs are told, and no more.
    LayoutState kept = RunId.isOfRun(id) ? layout : LayoutState.UNKNOWN;
    return new FileNumbers(id, bytes, kept, run, time, run != null, joined);
  }

  String id() {
    return id;
  }

  long bytes() {
    return bytes;
  }

  LayoutState layout() {
    return layout;
  }

  Optional<RunId> run() {
    return Optional.ofNullable(run);
  }

  String commit() {
    return commit;
  }

  /** Whether it is of a run, and was written to since that was laid out. */
  boolean isChanged() {
    return changed;
  }

  /** Whether the range of any column is known. */
  boolean tellsRange() {
    return ranges.stream().anyMatch(range -> !range.isEmpty());
  }

  /** The least and greatest value; {@link #NO_VALUES}; nothing where nobody knows. */
  List<Comparable<?>> range(int column) {
    return ranges.isEmpty() ? Collections.emptyList() : ranges.get(column);
  }
}
