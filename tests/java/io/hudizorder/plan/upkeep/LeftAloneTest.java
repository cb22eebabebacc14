package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.EmptyTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.engine.HoodieLocalEngineContext;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.view.HoodieTableFileSystemView;
import org.apache.hudi.config.HoodieClusteringConfig;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.StoragePathInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeftAloneTest {

  @TempDir Path folder;

  /**
   * Until a compaction has brought it into a base file, which is a write; change data never are.
   */
  @ParameterizedTest
  @CsvSource({"'', false", ".f_1.log.1_0-1-2, true", ".f_1.log.1_0-1-2.cdc, false"})
  void aLogOfRowsIsLeftForLater(String log, boolean later) throws IOException {
    FileSlice slice = new FileSlice("p", "1", "f");
    if (!log.isEmpty()) {
      slice.addLogFile(
          new HoodieLogFile(
              new StoragePathInfo(new StoragePath("/t/p/" + log), 1000, false, (short) 1, 1, 1)));
    }
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.MERGE_ON_READ);
    HoodieTableFileSystemView view =
        HoodieTableFileSystemView.fileListingBasedFileSystemView(
            new HoodieLocalEngineContext(table.getStorageConf()), table, table.getActiveTimeline());
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder()
            .withPath(folder.toString())
            .withClusteringConfig(
                HoodieClusteringConfig.newBuilder()
                    .withClusteringPlanSmallFileLimit(Long.MAX_VALUE)
                    .build())
            .build();
    List<FileSlice> slices = List.of(slice);

    HoodieClusteringGroup note =
        LeftAlone.of(
            "p",
            view,
            TakenGroups.of(view),
            slices,
            PartitionChoice.all(slices, FileReason.LAID_OUT),
            List.of(),
            config);

    HoodieClusteringPlan plan = new HoodieClusteringPlan();
    plan.setInputGroups(new ArrayList<>(List.of(note)));
    plan.setMissingSchedulePartitions(List.of());
    assertThat(LeftAlone.leftForLater(plan)).isEqualTo(later ? Set.of("p") : Set.of());
  }
}
