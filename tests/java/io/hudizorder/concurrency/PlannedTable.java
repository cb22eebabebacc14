package io.hudizorder.concurrency;

import io.hudizorder.EmptyTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieInstantInfo;
import org.apache.hudi.avro.model.HoodieRequestedReplaceMetadata;
import org.apache.hudi.avro.model.HoodieRollbackPlan;
import org.apache.hudi.avro.model.HoodieRollbackRequest;
import org.apache.hudi.common.config.HoodieMetadataConfig;
import org.apache.hudi.common.engine.HoodieLocalEngineContext;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.model.WriteConcurrencyMode;
import org.apache.hudi.common.model.WriteOperationType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieInstant.State;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;

/** A table whose one file, that of file group f1 of partition p, a clustering is to replace. */
final class PlannedTable {

  /** The write before all else, and its file. */
  static final String FIRST = "20251231235900000";

  static final String FILE = "f1_0-1-2_" + FIRST + ".parquet";

  static final String CLUSTERING = "20260101000000002";

  private PlannedTable() {}

  /** The table, of which nothing is planned yet. */
  static HoodieTableMetaClient ofFile(Path folder) throws IOException {
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.COPY_ON_WRITE);
    Files.createFile(Files.createDirectories(folder.resolve("p")).resolve(FILE));
    Files.createFile(
        folder.resolve(".hoodie/timeline").resolve(FIRST + "_20251231235901000.commit"));
    return table;
  }

  /** Has the clustering begin. */
  static void begin(HoodieTableMetaClient table, HoodieClusteringPlan plan) {
    table
        .getActiveTimeline()
        .transitionClusterRequestedToInflight(plan(table, CLUSTERING, plan), Option.empty());
  }

  /** Requests a clustering. */
  static HoodieInstant plan(HoodieTableMetaClient table, String time, HoodieClusteringPlan plan) {
    HoodieInstant clustering =
        table.createNewInstant(State.REQUESTED, HoodieTimeline.CLUSTERING_ACTION, time);
    table
        .getActiveTimeline()
        .saveToPendingClusterCommit(
            clustering,
            HoodieRequestedReplaceMetadata.newBuilder()
                .setOperationType(WriteOperationType.CLUSTER.name())
                .setClusteringPlan(plan)
                .build());
    return clustering;
  }

  /** Requests a rollback of a write, by which files are deleted. */
  static void rollBack(
      HoodieTableMetaClient table, String rollback, String undone, String... files) {
    HoodieInstantInfo instant = new HoodieInstantInfo(undone, HoodieTimeline.COMMIT_ACTION);
    HoodieRollbackRequest request =
        new HoodieRollbackRequest("p", "", "", List.of(files), Map.of());
    table
        .getActiveTimeline()
        .saveToRollbackRequested(
            table.createNewInstant(State.REQUESTED, HoodieTimeline.ROLLBACK_ACTION, rollback),
            new HoodieRollbackPlan(instant, List.of(request), 1));
  }

  /** The looks of the clustering, which waits for nobody. */
  static ConcurrentWrites beside(HoodieTableMetaClient table, HoodieClusteringPlan plan) {
    return beside(table, plan, "single_writer", Duration.ZERO);
  }

  static ConcurrentWrites beside(
      HoodieTableMetaClient table, HoodieClusteringPlan plan, String mode, Duration patience) {
    return ConcurrentWrites.beside(
        new HoodieLocalEngineContext(table.getStorageConf()),
        HoodieTableMetaClient.reload(table),
        HoodieWriteConfig.newBuilder()
            .withPath(table.getBasePath().toString())
            .withSchema(schema("a"))
            .withWriteConcurrencyMode(WriteConcurrencyMode.valueOf(mode.toUpperCase(Locale.ROOT)))
            .withMetadataConfig(HoodieMetadataConfig.newBuilder().enable(false).build())
            .build(),
        plan,
        CLUSTERING,
        patience);
  }

  static String schema(String... columns) {
    return Arrays.stream(columns)
        .map(column -> "{\"name\":\"" + column + "\",\"type\":[\"null\",\"int\"]}")
        .collect(Collectors.joining(",", "{\"type\":\"record\",\"name\":\"t\",\"fields\":[", "]}"));
  }
}
