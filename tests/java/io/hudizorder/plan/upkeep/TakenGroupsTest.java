package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.EmptyTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieCompactionOperation;
import org.apache.hudi.avro.model.HoodieCompactionPlan;
import org.apache.hudi.avro.model.HoodieRequestedReplaceMetadata;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.apache.hudi.common.engine.HoodieLocalEngineContext;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.model.WriteOperationType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieActiveTimeline;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieInstant.State;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.table.view.HoodieTableFileSystemView;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Of file groups 1 to 3 of partition p, each of which another plan has. */
class TakenGroupsTest {

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "p, 1, true, PENDING_CLUSTERING",
    "p, 2, true, PENDING_COMPACTION",
    "p, 3, true, PENDING_COMPACTION",
    "p, 4, false, SMALL_FILE_LIMIT",
    "q, 1, false, SMALL_FILE_LIMIT"
  })
  void noPlanIsMadeOfWhatAnotherOfAnyKindHas(
      String partition, String fileId, boolean taken, FileReason reason) throws IOException {
    FileSlice slice = new FileSlice(partition, "20260101000000001", fileId);
    TakenGroups others = TakenGroups.of(view(folder));

    assertThat(others.contains(slice)).isEqualTo(taken);
    assertThat(others.reason(slice)).isEqualTo(reason);
    assertThat(others.partitions()).containsExactly("p");
  }

  private static HoodieTableFileSystemView view(Path folder) throws IOException {
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.MERGE_ON_READ);
    HoodieActiveTimeline timeline = table.getActiveTimeline();
    timeline.saveToPendingClusterCommit(
        requested(table, HoodieTimeline.CLUSTERING_ACTION, "20260101000000001"), clustering("1"));
    timeline.saveToCompactionRequested(
        requested(table, HoodieTimeline.COMPACTION_ACTION, "20260101000000002"), compaction("2"));
    timeline.saveToLogCompactionRequested(
        requested(table, HoodieTimeline.LOG_COMPACTION_ACTION, "20260101000000003"),
        compaction("3"));
    HoodieTableMetaClient now = HoodieTableMetaClient.reload(table);
    return HoodieTableFileSystemView.fileListingBasedFileSystemView(
        new HoodieLocalEngineContext(now.getStorageConf()), now, now.getActiveTimeline());
  }

  private static HoodieInstant requested(HoodieTableMetaClient table, String action, String time) {
    return table.createNewInstant(State.REQUESTED, action, time);
  }

  private static HoodieRequestedReplaceMetadata clustering(String fileId) {
    HoodieSliceInfo slice =
        HoodieSliceInfo.newBuilder().setPartitionPath("p").setFileId(fileId).build();
    return HoodieRequestedReplaceMetadata.newBuilder()
        .setOperationType(WriteOperationType.CLUSTER.name())
        .setClusteringPlan(
            HoodieClusteringPlan.newBuilder()
                .setInputGroups(
                    List.of(HoodieClusteringGroup.newBuilder().setSlices(List.of(slice)).build()))
                .build())
        .build();
  }

  private static HoodieCompactionPlan compaction(String fileId) {
    HoodieCompactionOperation operation =
        HoodieCompactionOperation.newBuilder()
            .setBaseInstantTime("20251231000000000")
            .setPartitionPath("p")
            .setFileId(fileId)
            .setDeltaFilePaths(List.of())
            .build();
    return HoodieCompactionPlan.newBuilder().setOperations(List.of(operation)).build();
  }
}
