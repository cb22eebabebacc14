package io.hudizorder.hudi.v0_15;

import io.hudizorder.hudi.FileTimes;
import io.hudizorder.hudi.FormatCalls;
import java.io.IOException;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.model.HoodieReplaceCommitMetadata;
import org.apache.hudi.common.model.WriteOperationType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.HoodieTableVersion;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.table.timeline.TimelineMetadataUtils;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.StorageSchemes;

/**
 * The format of Hudi 0.15: a clustering is a replacecommit from the beginning, and when an instant
 * was completed its file's own time tells.
 */
final class FormatOf0_15 implements FormatCalls {

  @Override
  public int oldestWritten() {
    return HoodieTableVersion.ZERO.versionCode();
  }

  @Override
  public String requestedTime(HoodieInstant instant) {
    return instant.getTimestamp();
  }

  @Override
  public long completedAt(HoodieTableMetaClient table, HoodieInstant completed) {
    return FileTimes.completedAt(
        table, completed, completed.getStateTransitionTime(), ZoneId.systemDefault());
  }

  @Override
  public boolean completesByFileTimes(HoodieTableMetaClient table) {
    return true;
  }

  @Override
  public String mergeTime(HoodieInstant commit) {
    return commit.getTimestamp();
  }

  @Override
  public HoodieInstant requested(HoodieTableMetaClient table, String action, String time) {
    return new HoodieInstant(HoodieInstant.State.REQUESTED, action, time);
  }

  @Override
  public StoragePath file(HoodieTableMetaClient table, HoodieInstant instant) {
    return new StoragePath(table.getMetaPath(), instant.getFileName());
  }

  @Override
  public HoodieTimeline pendingReplacements(HoodieTableMetaClient table) {
    return table.getActiveTimeline().filterPendingReplaceTimeline();
  }

  @Override
  public Option<HoodieInstant> inflightClustering(HoodieTableMetaClient table, String time) {
    HoodieInstant inflight = HoodieTimeline.getReplaceCommitInflightInstant(time);
    return pendingReplacements(table).containsInstant(inflight) && isClustering(table, inflight)
        ? Option.of(inflight)
        : Option.empty();
  }

  @Override
  public void deletePending(HoodieTableMetaClient table, HoodieInstant instant) {
    table.getActiveTimeline().deletePending(instant);
  }

  @Override
  public boolean isClustering(HoodieTableMetaClient table, HoodieInstant instant) {
    return ClusteringUtils.isClusteringInstant(table.getActiveTimeline(), instant);
  }

  @Override
  public boolean deletesPartitions(HoodieTableMetaClient table, HoodieInstant requested)
      throws IOException {
    byte[] content = table.getActiveTimeline().getInstantDetails(requested).get();
    return content.length > 0
        && WriteOperationType.DELETE_PARTITION
            .name()
            .equals(
                TimelineMetadataUtils.deserializeRequestedReplaceMetadata(content)
                    .getOperationType());
  }

  @Override
  public HoodieCommitMetadata metadata(HoodieTableMetaClient table, HoodieInstant commit)
      throws IOException {
    byte[] content = table.getActiveTimeline().getInstantDetails(commit).get();
    return commit.isCompleted() && commit.getAction().equals(HoodieTimeline.REPLACE_COMMIT_ACTION)
        ? HoodieReplaceCommitMetadata.fromBytes(content, HoodieReplaceCommitMetadata.class)
        : HoodieCommitMetadata.fromBytes(content, HoodieCommitMetadata.class);
  }

  /** By the storage's clock alone: those of writers may differ. */
  @Override
  public List<HoodieInstant> completedSince(HoodieTableMetaClient table, String clustering)
      throws IOException {
    return FileTimes.completedSince(table, clustering);
  }

  @Override
  public List<HoodieInstant> commits(HoodieTableMetaClient table, String time) {
    return table
        .reloadActiveTimeline()
        .getCommitsTimeline()
        .filterCompletedInstants()
        .getInstantsAsStream()
        .filter(commit -> commit.getTimestamp().equals(time))
        .collect(Collectors.toList());
  }

  @Override
  public boolean appendsToLogs(HoodieStorage storage) {
    return StorageSchemes.isAppendSupported(storage.getScheme());
  }

  @Override
  public String time(HoodieLogFile log) {
    return log.getBaseCommitTime();
  }

  @Override
  public Option<Planner> planner() {
    return Option.of(
        (table, engine, config, groups) ->
            new GroupPlanning<>(table, engine, config, groups).generateClusteringPlan());
  }

  /** Every plan looks at all partitions. */
  @Override
  public List<String> unfinished(HoodieClusteringPlan plan) {
    return List.of();
  }

  @Override
  public boolean tellsUnfinished(HoodieClusteringPlan plan) {
    return false;
  }

  @Override
  public void setUnfinished(HoodieClusteringPlan plan, List<String> partitions) {}

  /** None: the archive before Hudi 1.0 has no order in which the latest could be found. */
  @Override
  public Stream<HoodieClusteringPlan> archivedPlans(HoodieTableMetaClient table) {
    return Stream.empty();
  }

  @Override
  public boolean isRecordIndexPartitioned(HoodieTableMetaClient table) {
    return false;
  }
}
