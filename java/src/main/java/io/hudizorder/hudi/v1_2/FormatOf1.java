package io.hudizorder.hudi.v1_2;

import io.hudizorder.hudi.FileTimes;
import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.hudi.Instants;
import java.io.IOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieIndexDefinition;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.model.WriteOperationType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.HoodieTableVersion;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.table.timeline.versioning.TimelineLayoutVersion;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.metadata.MetadataPartitionType;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;

/** The format since Hudi 1.0, which has the older for tables of version 6. */
public final class FormatOf1 implements FormatCalls {

  private static final Set<String> COMMITS =
      Set.of(
          HoodieTimeline.COMMIT_EXTENSION,
          HoodieTimeline.DELTA_COMMIT_EXTENSION,
          HoodieTimeline.REPLACE_COMMIT_EXTENSION);

  @Override
  public int oldestWritten() {
    return HoodieTableVersion.SIX.versionCode();
  }

  @Override
  public String requestedTime(HoodieInstant instant) {
    return instant.requestedTime();
  }

  @Override
  public long completedAt(HoodieTableMetaClient table, HoodieInstant completed) {
    ZoneId zone = completed.isLegacy() ? ZoneId.systemDefault() : Instants.zoneOf(table);
    return FileTimes.completedAt(table, completed, completed.getCompletionTime(), zone);
  }

  @Override
  public boolean completesByFileTimes(HoodieTableMetaClient table) {
    return TimelineLayoutVersion.LAYOUT_VERSION_1.equals(table.getTimelineLayoutVersion());
  }

  @Override
  public String mergeTime(HoodieInstant commit) {
    return commit.isLegacy() ? commit.requestedTime() : commit.getCompletionTime();
  }

  @Override
  public HoodieInstant requested(HoodieTableMetaClient table, String action, String time) {
    return table
        .getInstantGenerator()
        .createNewInstant(HoodieInstant.State.REQUESTED, action, time);
  }

  @Override
  public StoragePath file(HoodieTableMetaClient table, HoodieInstant instant) {
    String name = table.getInstantFileNameGenerator().getFileName(instant);
    return new StoragePath(table.getTimelinePath(), name);
  }

  @Override
  public HoodieTimeline pendingReplacements(HoodieTableMetaClient table) {
    return table.getActiveTimeline().filterPendingReplaceOrClusteringTimeline();
  }

  @Override
  public Option<HoodieInstant> inflightClustering(HoodieTableMetaClient table, String time) {
    return ClusteringUtils.getInflightClusteringInstant(
        time, table.getActiveTimeline(), table.getInstantGenerator());
  }

  @Override
  public void deletePending(HoodieTableMetaClient table, HoodieInstant instant) {
    table.getActiveTimeline().deletePending(instant);
  }

  @Override
  public boolean isClustering(HoodieTableMetaClient table, HoodieInstant instant) {
    return ClusteringUtils.isClusteringInstant(
        table.getActiveTimeline(), instant, table.getInstantGenerator());
  }

  @Override
  public boolean deletesPartitions(HoodieTableMetaClient table, HoodieInstant requested)
      throws IOException {
    HoodieTimeline timeline = table.getActiveTimeline();
    return !timeline.isEmpty(requested)
        && WriteOperationType.DELETE_PARTITION
            .name()
            .equals(timeline.readRequestedReplaceMetadata(requested).getOperationType());
  }

  @Override
  public HoodieCommitMetadata metadata(HoodieTableMetaClient table, HoodieInstant commit)
      throws IOException {
    return commit.isCompleted() && commit.getAction().equals(HoodieTimeline.REPLACE_COMMIT_ACTION)
        ? table.getActiveTimeline().readReplaceCommitMetadata(commit)
        : table.getActiveTimeline().readCommitMetadata(commit);
  }

  @Override
  public List<HoodieInstant> completedSince(HoodieTableMetaClient table, String clustering)
      throws IOException {
    if (completesByFileTimes(table)) {
      return FileTimes.completedSince(table, clustering);
    }
    return table
        .getActiveTimeline()
        .getCommitsTimeline()
        .filterCompletedInstants()
        .findInstantsModifiedAfterByCompletionTime(clustering)
        .getInstants();
  }

  @Override
  public List<HoodieInstant> commits(HoodieTableMetaClient table, String time) throws IOException {
    return table.scanHoodieInstantsFromFileSystem(table.getTimelinePath(), COMMITS, false).stream()
        .filter(commit -> commit.isCompleted() && commit.requestedTime().equals(time))
        .collect(Collectors.toList());
  }

  @Override
  public boolean appendsToLogs(HoodieStorage storage) {
    return false;
  }

  @Override
  public String time(HoodieLogFile log) {
    return log.getDeltaCommitTime();
  }

  @Override
  public Option<Planner> planner() {
    return Option.empty();
  }

  @Override
  public List<String> unfinished(HoodieClusteringPlan plan) {
    return Objects.requireNonNullElse(plan.getMissingSchedulePartitions(), List.of());
  }

  @Override
  public boolean tellsUnfinished(HoodieClusteringPlan plan) {
    return plan.getMissingSchedulePartitions() != null;
  }

  @Override
  public void setUnfinished(HoodieClusteringPlan plan, List<String> partitions) {
    plan.setMissingSchedulePartitions(new ArrayList<>(partitions));
  }

  @Override
  public Stream<HoodieClusteringPlan> archivedPlans(HoodieTableMetaClient table) {
    return new ArchivedPlans(table).newestFirst();
  }

  @Override
  public boolean isRecordIndexPartitioned(HoodieTableMetaClient table) {
    return definition(table, MetadataPartitionType.RECORD_INDEX)
        .map(index -> "true".equals(index.getIndexOptions().get("isPartitioned")))
        .orElse(false);
  }

  private static Option<HoodieIndexDefinition> definition(
      HoodieTableMetaClient table, MetadataPartitionType index) {
    return table
        .getIndexMetadata()
        .flatMap(all -> Option.ofNullable(all.getIndexDefinitions().get(index.getPartitionPath())));
  }
}
