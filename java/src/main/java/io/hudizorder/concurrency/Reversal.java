package io.hudizorder.concurrency;

import static io.hudizorder.hudi.Instants.ofActions;
import static io.hudizorder.hudi.Instants.timeOf;
import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.plan.MetadataEntries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.table.view.FileSystemViewManager;
import org.apache.hudi.common.table.view.HoodieTableFileSystemView;
import org.apache.hudi.common.util.CleanerUtils;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.storage.StoragePath;

/**
 * What others may have done since a clustering's commit, other than writes, that keeps it from
 * being taken back: what it replaced must be there again, and nobody may want what it has written.
 */
final class Reversal {

  private final HoodieEngineContext engine;
  private final HoodieWriteConfig config;
  private final HoodieInstant committed;
  private final FileGroups replaced;
  private final FileGroups written;

  Reversal(
      HoodieEngineContext engine,
      HoodieWriteConfig config,
      HoodieInstant committed,
      FileGroups replaced,
      FileGroups written) {
    this.engine = engine;
    this.config = config;
    this.committed = committed;
    this.replaced = replaced;
    this.written = written;
  }

  /**
   * @throws ConcurrentWriteException when the clustering cannot be taken back
   */
  void require(HoodieTableMetaClient now) {
    refusePlans(now);
    refuseSavepoints(now);
    refuseCleaning(now);
    refuseCompactedMetadata(now);
    refuseLostFiles(now);
  }

  /** Whoever executes such a plan, or is about to, may not look again before it commits. */
  private void refusePlans(HoodieTableMetaClient now) {
    ClusteringUtils.getAllPendingClusteringPlans(now)
        .filter(plan -> !timeOf(plan.getLeft()).equals(timeOf(committed)))
        .forEach(
            plan -> {
              List<HoodieFileGroupId> taken = written.takenBy(plan.getRight());
              if (!taken.isEmpty()) {
                throw new ConcurrentWriteException(
                    String.format(
                        "clustering %s was planned, which takes %s",
                        timeOf(plan.getLeft()), FileGroups.named(taken)));
              }
            });
  }

  /** A savepoint has the time of the commit that it saves, and names the files of that moment. */
  private void refuseSavepoints(HoodieTableMetaClient now) {
    first(
            ofActions(timelineOf(now), HoodieTimeline.SAVEPOINT_ACTION).getInstants(),
            savepoint -> timeOf(savepoint).compareTo(timeOf(committed)) >= 0)
        .ifPresent(
            savepoint -> {
              throw new ConcurrentWriteException(
                  "savepoint " + timeOf(savepoint) + " was made, which names its files");
            });
  }

  /** What a pending cleaning is to delete may be gone at any moment. */
  private void refuseCleaning(HoodieTableMetaClient now) {
    for (HoodieInstant clean :
        ofActions(timelineOf(now), HoodieTimeline.CLEAN_ACTION)
            .filterInflightsAndRequested()
            .getInstants()) {
      List<HoodieFileGroupId> cleaned = replaced.holding(deletedBy(now, clean));
      if (!cleaned.isEmpty()) {
        throw new ConcurrentWriteException(
            String.format(
                "cleaning %s is deleting what it replaced, of %s",
                timeOf(clean), FileGroups.named(cleaned)));
      }
    }
  }

  private static Set<String> deletedBy(HoodieTableMetaClient now, HoodieInstant clean) {
    try {
      return CleanerUtils.getCleanerPlan(now, clean)
          .getFilePathsToBeDeletedPerPartition()
          .values()
          .stream()
          .flatMap(List::stream)
          .map(file -> new StoragePath(file.getFilePath()).getName())
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the cleaning '" + clean + "'", e);
    }
  }

  private void refuseCompactedMetadata(HoodieTableMetaClient now) {
    if (MetadataEntries.areCompacted(now, timeOf(committed))) {
      throw new ConcurrentWriteException("the metadata table was compacted");
    }
  }

  private void refuseLostFiles(HoodieTableMetaClient now) {
    try (HoodieTableFileSystemView view =
        FileSystemViewManager.createInMemoryFileSystemView(
            engine, now, config.getMetadataConfig())) {
      List<HoodieFileGroupId> lost = replaced.lost(view);
      if (!lost.isEmpty()) {
        throw new ConcurrentWriteException(
            "what it replaced was deleted, of " + FileGroups.named(lost));
      }
    }
  }

  private static Option<HoodieInstant> first(
      List<HoodieInstant> instants, Predicate<HoodieInstant> wanted) {
    return Option.fromJavaOptional(instants.stream().filter(wanted).findFirst());
  }
}
