package io.hudizorder.plan.upkeep;

import io.hudizorder.plan.slice.RunId;
import io.hudizorder.plan.slice.SliceRanges;
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
  private final List<List<Comparable<?>>> ranges;

  /**
   * @param id of the file group
   * @param bytes that it takes as Parquet
   * @param layout that it is known to have
   * @param run of a clustering that it belongs to; null for none of the wanted layout
   * @param commit that wrote its base file; empty where there is none
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
    this.id = id;
    this.bytes = bytes;
    this.layout = layout;
    this.run = run;
    this.commit = commit;
    this.ranges = ranges;
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
    return run != null && !run.isLeftBy(commit);
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
