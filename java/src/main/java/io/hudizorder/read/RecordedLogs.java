package io.hudizorder.read;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.hudi.Instants;
import io.hudizorder.hudi.SomeAtATime;
import io.hudizorder.plan.slice.RowLogs;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.storage.StoragePath;

/**
 * The log files of a plan, held against the bytes that commits say they have. Where a log ends
 * within a block, Hudi's reader takes that for a write that failed, and passes it over without a
 * word: a clustering would make for good what restoring the file could still mend.
 *
 * <p>A commit records at most what the file has then, and nobody shortens a log: others may add to
 * it, as writes and rollbacks do before table version 8.
 */
final class RecordedLogs {

  /** Since this version of a table a log has the name of the write, before that of its slice. */
  private static final int NAMED_BY_WRITES = 8;

  /** Of a large table, what a commit says takes megabytes. */
  private static final int COMMITS_AT_ONCE = 4;

  private final HoodieTableMetaClient table;

  /** By partition and name. */
  private final Map<String, HoodieLogFile> logs = new TreeMap<>();

  /** Those that may have written to them, as the timeline was before anybody asks for sizes. */
  private final List<HoodieInstant> commits;

  RecordedLogs(HoodieTableMetaClient table, List<FileSlice> slices) {
    this.table = table;
    for (FileSlice slice : slices) {
      RowLogs.of(slice)
          .forEach(log -> logs.put(key(slice.getPartitionPath(), log.getFileName()), log));
    }
    this.commits = logs.isEmpty() ? List.of() : commits();
  }

  List<StoragePath> paths() {
    return logs.values().stream().map(HoodieLogFile::getPath).collect(Collectors.toList());
  }

  /**
   * Reads what commits say. One that is archived says nothing.
   *
   * @param sizes of all logs
   * @throws HoodieClusteringException when a log has fewer bytes than a commit says
   */
  void requireWhole(Map<StoragePath, Long> sizes) {
    Map<String, Long> recorded = new TreeMap<>();
    SomeAtATime.of(commits, COMMITS_AT_ONCE, "commits", this::recorded)
        .forEach(commit -> commit.forEach((log, bytes) -> recorded.merge(log, bytes, Long::max)));
    // Asked again, where a listing may be older than the file.
    recorded
        .entrySet()
        .removeIf(
            log ->
                sizes.get(path(log.getKey())) >= log.getValue()
                    || size(log.getKey()) >= log.getValue());
    if (!recorded.isEmpty()) {
      throw new HoodieClusteringException(refusal(recorded));
    }
  }

  private List<HoodieInstant> commits() {
    Set<String> times =
        logs.values().stream().map(FormatCalls.here()::time).collect(Collectors.toSet());
    boolean shared = table.getTableConfig().getTableVersion().versionCode() < NAMED_BY_WRITES;
    String first = Collections.min(times);
    return Instants.ofActions(Instants.timelineOf(table), HoodieTimeline.DELTA_COMMIT_ACTION)
        .filterCompletedInstants()
        .getInstantsAsStream()
        .filter(
            commit -> {
              String time = Instants.timeOf(commit);
              return shared ? time.compareTo(first) >= 0 : times.contains(time);
            })
        .collect(Collectors.toList());
  }

  private Map<String, Long> recorded(HoodieInstant commit) {
    Map<String, Long> recorded = new HashMap<>();
    for (HoodieWriteStat stat : stats(commit)) {
      if (stat.getPath() != null) {
        String name = new StoragePath(stat.getPath()).getName();
        String log = key(stat.getPartitionPath(), name);
        if (logs.containsKey(log)) {
          recorded.merge(log, stat.getFileSizeInBytes(), Long::max);
        }
      }
    }
    return recorded;
  }

  private List<HoodieWriteStat> stats(HoodieInstant commit) {
    try {
      return FormatCalls.here().metadata(table, commit).getWriteStats();
    } catch (IOException | RuntimeException e) {
      if (isGone(e)) {
        return List.of();
      }
      throw new HoodieClusteringException(
          String.format("Cannot cluster: what commit '%s' has written cannot be read", commit), e);
    }
  }

  /** Whether a commit was archived meanwhile. */
  private static boolean isGone(Exception e) {
    return e instanceof FileNotFoundException || e.getCause() instanceof FileNotFoundException;
  }

  private String refusal(Map<String, Long> recorded) {
    String log = recorded.keySet().iterator().next();
    return String.format(
        "Cannot cluster: log file '%s' has %d bytes of the %d that its commit has written%s. Hudi"
            + " reads it without the rows at its end, says nothing, and would lose them for good."
            + " Restore the file and cluster again; or give these rows up: with this clustering"
            + " cancelled, have Hudi compact the table, and cluster again",
        path(log),
        size(log),
        recorded.get(log),
        recorded.size() == 1 ? "" : String.format(", as one of %d such files", recorded.size()));
  }

  private StoragePath path(String log) {
    return logs.get(log).getPath();
  }

  private long size(String log) {
    return FileSizes.of(table.getStorage(), List.of(path(log))).get(path(log));
  }

  private static String key(String partition, String name) {
    return partition + "/" + name;
  }
}
