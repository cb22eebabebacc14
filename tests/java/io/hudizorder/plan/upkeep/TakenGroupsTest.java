package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieCompactionOperation;
import org.apache.hudi.common.model.CompactionOperation;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.view.SyncableFileSystemView;
import org.apache.hudi.common.util.collection.Pair;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Of file groups 1 to 3 of partition p, each of which another plan has. */
class TakenGroupsTest {

  @ParameterizedTest
  @CsvSource({
    "p, 1, true, PENDING_CLUSTERING",
    "p, 2, true, PENDING_COMPACTION",
    "p, 3, true, PENDING_COMPACTION",
    "p, 4, false, SMALL_FILE_LIMIT",
    "q, 1, false, SMALL_FILE_LIMIT"
  })
  void noPlanIsMadeOfWhatAnotherOfAnyKindHas(
      String partition, String fileId, boolean taken, FileReason reason) {
    FileSlice slice = new FileSlice(partition, "20260101000000001", fileId);
    TakenGroups others = TakenGroups.of(view());

    assertThat(others.contains(slice)).isEqualTo(taken);
    assertThat(others.reason(slice)).isEqualTo(reason);
    assertThat(others.partitions()).containsExactly("p");
  }

  private static SyncableFileSystemView view() {
    Map<String, Supplier<Stream<?>>> told =
        Map.of(
            "getFileGroupsInPendingClustering",
            () -> Stream.of(Pair.of(new HoodieFileGroupId("p", "1"), (HoodieInstant) null)),
            "getPendingCompactionOperations",
            () -> Stream.of(Pair.of("20260101000000002", compaction("2"))),
            "getPendingLogCompactionOperations",
            () -> Stream.of(Pair.of("20260101000000003", compaction("3"))));
    return (SyncableFileSystemView)
        Proxy.newProxyInstance(
            TakenGroupsTest.class.getClassLoader(),
            new Class<?>[] {SyncableFileSystemView.class},
            (view, asked, arguments) -> told.get(asked.getName()).get());
  }

  private static CompactionOperation compaction(String fileId) {
    return CompactionOperation.convertFromAvroRecordInstance(
        HoodieCompactionOperation.newBuilder()
            .setBaseInstantTime("20260101000000001")
            .setPartitionPath("p")
            .setFileId(fileId)
            .setDeltaFilePaths(List.of())
            .build());
  }
}
