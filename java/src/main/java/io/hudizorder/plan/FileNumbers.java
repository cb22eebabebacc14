package io.hudizorder.plan;

import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** A file slice as upkeep sees it. */
final class FileNumbers {

  private final String id;
  private final long bytes;
  private final RunId run;
  private final String commit;
  private final List<List<Comparable<?>>> ranges;

  /**
   * @param id of the file group
   * @param bytes that it takes as Parquet
   * @param run of the wanted layout that it belongs to; null for none
   * @param commit that wrote its base file; empty for one that cannot tell how rows are laid out
   * @param ranges least and greatest value column by column; empty where nobody knows
   */
  FileNumbers(String id, long bytes, RunId run, String commit, List<List<Comparable<?>>> ranges) {
    this.id = id;
    this.bytes = bytes;
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

  List<Comparable<?>> range(int column) {
    return ranges.isEmpty() ? Collections.emptyList() : ranges.get(column);
  }
}
