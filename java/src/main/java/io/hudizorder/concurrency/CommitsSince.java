package io.hudizorder.concurrency;

import static io.hudizorder.hudi.Instants.timeOf;
import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.hudi.Instants;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.config.HoodieWriteConfig;

/** What others have committed since a clustering was planned. */
final class CommitsSince {

  private final String instant;

  /** The times of the commits that the execution reads, where it is known. */
  private final Optional<Set<String>> read;

  private final KnownColumns columns;

  private CommitsSince(String instant, Optional<Set<String>> read, KnownColumns columns) {
    this.instant = instant;
    this.read = read;
    this.columns = columns;
  }

  /** Since the plan of a clustering that is to be executed, and reads a table as it is. */
  static CommitsSince planOf(
      String instant, HoodieTableMetaClient table, HoodieWriteConfig config) {
    Set<String> read =
        timelineOf(table)
            .filterCompletedInstants()
            .getInstantsAsStream()
            .map(Instants::timeOf)
            .collect(Collectors.toSet());
    return new CommitsSince(instant, Optional.of(read), KnownColumns.of(config));
  }

  /** Since the plan of a committed clustering, of which nobody knows any more what it has read. */
  static CommitsSince planOf(HoodieInstant committed, HoodieTableMetaClient table) {
    return new CommitsSince(
        timeOf(committed), Optional.empty(), KnownColumns.of(metadata(table, committed)));
  }

  /**
   * @throws ConcurrentWriteException when one has written to file groups
   */
  void refuseTouching(HoodieTableMetaClient now, FileGroups groups) {
    boolean appends = FormatCalls.here().appendsToLogs(now.getStorage());
    for (HoodieInstant commit : completed(now)) {
      List<HoodieFileGroupId> touched =
          groups.touched(metadata(now, commit), appends || !isRead(commit));
      if (!touched.isEmpty()) {
        throw new ConcurrentWriteException(
            String.format(
                "write %s, which was committed since it was planned, wrote to %s",
                timeOf(commit), FileGroups.named(touched)));
      }
    }
  }

  /**
   * A write that was requested later gives the table its schema in any case.
   *
   * @throws ConcurrentWriteException when one has given the table columns that are not known
   */
  void refuseColumns(HoodieTableMetaClient now) {
    completed(now).stream()
        .filter(commit -> timeOf(commit).compareTo(instant) < 0)
        .filter(commit -> read.filter(known -> known.contains(timeOf(commit))).isEmpty())
        .forEach(commit -> columns.refuse(now, commit, metadata(now, commit)));
  }

  /**
   * Whether the execution reads what a commit has written. In tables of before Hudi 1.0 a plan has
   * the log files of writes in flight as well: readers pass over their rows.
   */
  private boolean isRead(HoodieInstant commit) {
    return read.isEmpty() || read.get().contains(timeOf(commit));
  }

  private List<HoodieInstant> completed(HoodieTableMetaClient now) {
    try {
      return FormatCalls.here().completedSince(now, instant);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the clustering plan '" + instant + "'", e);
    }
  }

  /** What a commit on a table's timeline tells. */
  static HoodieCommitMetadata metadata(HoodieTableMetaClient table, HoodieInstant commit) {
    try {
      return FormatCalls.here().metadata(table, commit);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the commit '" + commit + "'", e);
    }
  }
}
