package io.hudizorder;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieClusteringStrategy;
import org.apache.hudi.avro.model.HoodieRequestedReplaceMetadata;
import org.apache.hudi.client.timeline.versioning.v2.LSMTimelineWriter;
import org.apache.hudi.common.engine.LocalTaskContextSupplier;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.model.WriteOperationType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.ActiveAction;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.table.timeline.versioning.v2.ActiveTimelineV2;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;

/** A table without rows whose timeline, and the archive of it, have what tests put there. */
public final class WrittenTimeline {

  private final Path folder;
  private final HoodieTableMetaClient table;

  public WrittenTimeline(Path folder) throws IOException {
    this.folder = folder;
    this.table = EmptyTable.in(folder, HoodieTableType.COPY_ON_WRITE);
  }

  /** The table as it is now. */
  public HoodieTableMetaClient now() {
    return HoodieTableMetaClient.reload(table);
  }

  /** Requests a clustering that leaves nothing to the next. */
  public void plan(String time, Map<String, String> parameters, HoodieClusteringGroup... groups) {
    HoodieClusteringStrategy strategy =
        HoodieClusteringStrategy.newBuilder().setStrategyParams(parameters).build();
    plan(
        time,
        HoodieClusteringPlan.newBuilder()
            .setInputGroups(List.of(groups))
            .setStrategy(strategy)
            .setMissingSchedulePartitions(List.of())
            .build());
  }

  /** Requests a clustering by a plan. */
  public void plan(String time, HoodieClusteringPlan plan) {
    table
        .getActiveTimeline()
        .saveToPendingClusterCommit(
            table.createNewInstant(
                HoodieInstant.State.REQUESTED, HoodieTimeline.CLUSTERING_ACTION, time),
            HoodieRequestedReplaceMetadata.newBuilder()
                .setOperationType(WriteOperationType.CLUSTER.name())
                .setClusteringPlan(plan)
                .build());
  }

  /** Completes what was requested. */
  public void commit(String time) throws IOException {
    Files.createFile(file(time + "_" + time + ".replacecommit"));
  }

  /** A write of rows that is done. */
  public void write(String requested, String completed) throws IOException {
    Files.createFile(file(requested + ".commit.requested"));
    Files.createFile(file(requested + "_" + completed + ".commit"));
  }

  /** A clustering that is done. */
  public void clustering(String time, Map<String, String> parameters) throws IOException {
    plan(time, parameters);
    commit(time);
  }

  /** An overwrite that is done, of which nothing tells what it was about to write. */
  public void overwrite(String time) throws IOException {
    Files.createFile(file(time + ".replacecommit.requested"));
    commit(time);
  }

  /**
   * An overwrite by Hudi before 1.0, as an upgrade leaves it: by the name of a clustering, and what
   * it was about to write as JSON.
   */
  public void overwriteBeforeUpgrade(String time) throws IOException {
    HoodieCommitMetadata profile = new HoodieCommitMetadata();
    profile.setOperationType(WriteOperationType.INSERT_OVERWRITE);
    pending(time, profile.toJsonString().getBytes(StandardCharsets.UTF_8));
  }

  /** A replacement that is done, and under way was this. */
  public void pending(String time, byte[] inflight) throws IOException {
    Files.createFile(file(time + ".clustering.requested"));
    Files.write(file(time + ".clustering.inflight"), inflight);
    commit(time);
  }

  private Path file(String name) {
    return folder.resolve(".hoodie/timeline").resolve(name);
  }

  /** Moves all that is done into one file of the archive, as Hudi does. */
  public void archive() throws IOException {
    // All states of each: the timeline itself shows the latest.
    List<ActiveAction> archived =
        new ActiveTimelineV2(now(), false)
                .getInstantsAsStream()
                .collect(Collectors.groupingBy(HoodieInstant::requestedTime))
                .entrySet()
                .stream()
                .sorted(Map.Entry.comparingByKey())
                .map(action -> ActiveAction.fromInstants(action.getValue()))
                .collect(Collectors.toList());
    HoodieWriteConfig config = HoodieWriteConfig.newBuilder().withPath(folder.toString()).build();
    LSMTimelineWriter.getInstance(config, new LocalTaskContextSupplier(), now())
        .write(
            archived,
            Option.empty(),
            Option.of(
                e -> {
                  throw new IllegalStateException(e);
                }));
    try (DirectoryStream<Path> files = Files.newDirectoryStream(file("."), "2026*")) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
  }

  /** Has nobody read a file of the archive. */
  public void damageArchived(String time) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(file("history"), time + "*")) {
      for (Path file : files) {
        Files.write(file, new byte[] {'P', 'A', 'R', '1'});
      }
    }
  }
}
