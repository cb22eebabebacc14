package io.hudizorder.plan;

import static io.hudizorder.hudi.Instants.metadataTableOf;
import static io.hudizorder.hudi.Instants.ofActions;
import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.hudi.Folders;
import io.hudizorder.hudi.FormatCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.BaseHoodieClient;
import org.apache.hudi.common.fs.FSUtils;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.StoragePathInfo;
import org.apache.hudi.table.HoodieSparkTable;
import org.apache.hudi.table.HoodieTable;

/**
 * What executions have left of a clustering that is no more pending, which no rollback of Hudi's
 * takes away: an executor may go on, even to the commit, when somebody else has taken its plan off
 * the timeline, or completed it. Once the timeline begins after the clustering, Hudi's listings
 * take such files for committed ones, and their rows are there twice.
 */
public final class Leftovers {

  private Leftovers() {}

  /**
   * Takes away what executions have left that have ended: files and what the metadata table has of
   * them, markers and the heartbeat.
   *
   * @param client of the table, which takes its lock
   * @param partitions in which and below which files are looked for; "" is the whole table
   */
  public static void removeAll(
      BaseHoodieClient client, String instant, Collection<String> partitions) {
    HoodieTable<?, ?, ?, ?> table =
        HoodieSparkTable.create(client.getConfig(), client.getEngineContext());
    HoodieTableMetaClient metaClient = table.getMetaClient();
    removeFiles(table, instant, partitions.stream());
    removeMarkers(metaClient, instant);
    removeHeartbeat(metaClient, instant);
  }

  /** Shows that nobody executes a plan any more. */
  public static void removeHeartbeat(HoodieTableMetaClient table, String instant) {
    try {
      // Not by Hudi, which logs an error where there is none.
      table.getStorage().deleteFile(Folders.heartbeat(Folders.base(table), instant));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot remove the heartbeat of '" + instant + "'", e);
    }
  }

  /** Also those of the metadata table, which has a commit of the same instant. */
  public static void removeMarkers(HoodieTableMetaClient table, String instant) {
    Option<HoodieTableMetaClient> metadata = metadataTableOf(table);
    try {
      deleteMarkers(table, instant);
      if (metadata.isPresent()) {
        deleteMarkers(metadata.get(), instant);
      }
    } catch (IOException e) {
      throw failed(instant, e);
    }
  }

  /**
   * Takes away what an executor has written for a plan that somebody else has taken off the
   * timeline, or completed, and told the metadata table of it; if it is pending, nothing.
   */
  public static void remove(
      HoodieTable<?, ?, ?, ?> table, HoodieClusteringPlan plan, String instant) {
    Stream<String> partitions = plan.getInputGroups().stream().map(GroupParts::partition);
    if (removeFiles(table, instant, partitions)) {
      try {
        deleteMarkers(table.getMetaClient(), instant);
      } catch (IOException e) {
        throw failed(instant, e);
      }
    }
  }

  /** Returns false, and leaves all, if the plan is pending. */
  private static boolean removeFiles(
      HoodieTable<?, ?, ?, ?> table, String instant, Stream<String> partitions) {
    HoodieTableMetaClient now = HoodieTableMetaClient.reload(table.getMetaClient());
    if (PendingPlan.requested(now, instant).isPresent()) {
      return false;
    }
    // Of what is older than the timeline nobody knows here whether it was committed.
    if (isOlder(timelineOf(now), instant)) {
      return true;
    }
    HoodieStorage storage = now.getStorage();
    try {
      Set<StoragePath> folders =
          partitions
              .map(partition -> PlannedPaths.folder(Folders.base(now), partition))
              .collect(Collectors.toSet());
      Set<String> committed = committed(now, instant);
      if (committed.isEmpty() && PendingPlan.committed(now, instant).isPresent()) {
        return true; // archived meanwhile: nobody knows here which files it has
      }
      for (StoragePath folder : folders) {
        for (StoragePath file : files(storage, folder, instant)) {
          if (!committed.contains(file.getName())) {
            storage.deleteFile(file);
          }
        }
      }
      if (committed.isEmpty()) {
        MetadataEntries.remove(table, instant);
      }
      return true;
    } catch (IOException e) {
      throw failed(instant, e);
    }
  }

  /** A commit that a savepoint keeps there is no start: Hudi may archive what comes after it. */
  private static boolean isOlder(HoodieTimeline timeline, String instant) {
    return ofActions(
            timeline,
            HoodieTimeline.COMMIT_ACTION,
            HoodieTimeline.DELTA_COMMIT_ACTION,
            HoodieTimeline.REPLACE_COMMIT_ACTION,
            HoodieTimeline.SAVEPOINT_ACTION)
        .filterCompletedInstants()
        .isBeforeTimelineStarts(instant);
  }

  private static Set<String> committed(HoodieTableMetaClient now, String instant)
      throws IOException {
    Set<String> names = new HashSet<>();
    for (HoodieInstant commit : PendingPlan.commits(now, instant)) {
      for (HoodieWriteStat file : FormatCalls.here().metadata(now, commit).getWriteStats()) {
        names.add(new StoragePath(file.getPath()).getName());
      }
    }
    return names;
  }

  /** By listing: while a file is opened, its marker may be deleted by whoever rolls it back. */
  private static List<StoragePath> files(HoodieStorage storage, StoragePath folder, String instant)
      throws IOException {
    List<StoragePath> found = new ArrayList<>();
    for (StoragePathInfo entry : Folders.entries(storage, folder)) {
      StoragePath path = entry.getPath();
      if (entry.isDirectory() && !path.getName().equals(HoodieTableMetaClient.METAFOLDER_NAME)) {
        found.addAll(files(storage, path, instant));
      } else if (entry.isFile() && isOf(path.getName(), instant)) {
        found.add(path);
      }
    }
    return found;
  }

  private static boolean isOf(String name, String instant) {
    return FSUtils.isBaseFile(new StoragePath(name)) && FSUtils.getCommitTime(name).equals(instant);
  }

  private static void deleteMarkers(HoodieTableMetaClient table, String instant)
      throws IOException {
    table.getStorage().deleteDirectory(new StoragePath(table.getMarkerFolderPath(instant)));
  }

  private static UncheckedIOException failed(String instant, IOException cause) {
    return new UncheckedIOException("Cannot remove what was left of '" + instant + "'", cause);
  }
}
