package io.hudizorder.plan;

import static io.hudizorder.hudi.Instants.metadataTableOf;
import static io.hudizorder.hudi.Instants.ofActions;
import static io.hudizorder.hudi.Instants.timeOf;
import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.hudi.FormatCalls;
import java.util.Properties;
import org.apache.hudi.common.model.HoodieFailedWritesCleaningPolicy;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieCleanConfig;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.table.HoodieSparkTable;
import org.apache.hudi.table.HoodieTable;

/** What the metadata table has of a clustering, by a commit of the same instant. */
public final class MetadataEntries {

  private MetadataEntries() {}

  /**
   * Takes out what it has of a clustering that is neither pending nor committed: Hudi tells it of
   * the files before it finds that there is nothing to commit. Once the timeline begins after the
   * clustering, they are taken for committed, and queries miss files that are not there.
   */
  static void remove(HoodieTable<?, ?, ?, ?> table, String instant) {
    HoodieTableMetaClient metaClient = table.getMetaClient();
    if (areThere(metaClient, instant)) {
      PendingPlan.underLock(
          metaClient,
          table.getConfig(),
          () -> {
            metaClient.reloadActiveTimeline();
            if (isGone(metaClient, instant) && areThere(metaClient, instant)) {
              rollBack(table, instant);
            }
          });
    }
  }

  private static boolean isGone(HoodieTableMetaClient table, String instant) {
    return PendingPlan.requested(table, instant).isEmpty()
        && PendingPlan.committed(table, instant).isEmpty();
  }

  /** Or were, by a rollback that has not ended. */
  private static boolean areThere(HoodieTableMetaClient table, String instant) {
    return metadataTableOf(table)
        .map(metadata -> commit(metadata, instant).isPresent())
        .map(isThere -> isThere || !RollbackPlans.begun(table, instant).isEmpty())
        .orElse(false);
  }

  private static Option<HoodieInstant> commit(HoodieTableMetaClient metadata, String instant) {
    return Option.fromJavaOptional(
        ofActions(timelineOf(metadata), HoodieTimeline.DELTA_COMMIT_ACTION)
            .filterCompletedInstants()
            .getInstantsAsStream()
            .filter(commit -> timeOf(commit).equals(instant))
            .findFirst());
  }

  private static void rollBack(HoodieTable<?, ?, ?, ?> table, String instant) {
    HoodieTableMetaClient metaClient = table.getMetaClient();
    if (areCompacted(metaClient, instant)) {
      throw new HoodieClusteringException(
          String.format(
              "Cannot take out of the metadata table what it has of clustering %s, whose plan is"
                  + " gone: it was compacted since. Delete the metadata table, by Hudi's procedure"
                  + " delete_metadata_table; the next write makes it anew",
              instant));
    }
    FormatCalls hudi = FormatCalls.here();
    String action =
        hudi.completesByFileTimes(metaClient)
            ? HoodieTimeline.REPLACE_COMMIT_ACTION
            : HoodieTimeline.CLUSTERING_ACTION;
    // Of one that is merely requested, Hudi rolls back nothing but this.
    HoodieInstant gone = hudi.requested(metaClient, action, instant);
    HoodieWriteConfig lazy = lazy(table.getConfig());
    PendingPlan.rollBackAll(HoodieSparkTable.create(lazy, table.getContext()), lazy, gone);
  }

  /** By which Hudi does not read its plan, to find out whether later commits are in the way. */
  private static HoodieWriteConfig lazy(HoodieWriteConfig config) {
    Properties settings = new Properties();
    settings.putAll(config.getProps());
    settings.setProperty(
        HoodieCleanConfig.FAILED_WRITES_CLEANER_POLICY.key(),
        HoodieFailedWritesCleaningPolicy.LAZY.name());
    return HoodieWriteConfig.newBuilder().withProperties(settings).build();
  }

  /** Whether base files have them: Hudi refuses to roll those back, but only half way. */
  public static boolean areCompacted(HoodieTableMetaClient table, String instant) {
    Option<HoodieTableMetaClient> metadata = metadataTableOf(table);
    if (metadata.isEmpty()) {
      return false;
    }
    Option<HoodieInstant> commit = commit(metadata.get(), instant);
    Option<HoodieInstant> compaction =
        ofActions(timelineOf(metadata.get()), HoodieTimeline.COMMIT_ACTION)
            .filterCompletedInstants()
            .lastInstant();
    return compaction.isPresent()
        && (commit.isEmpty()
            || FormatCalls.here().mergeTime(commit.get()).compareTo(timeOf(compaction.get())) <= 0);
  }
}
