package io.hudizorder.hudi;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.EmptyTable;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.Option;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstantsTest {

  @TempDir Path folder;

  /** By its properties it has one until the next write makes one anew. */
  @Test
  void aTableWhoseMetadataTableWasDeletedHasNone() throws IOException {
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.COPY_ON_WRITE);
    table.getTableConfig().setMetadataPartitionState(table, "files", true);

    assertThat(metadataTable(table).isPresent()).isFalse();

    EmptyTable.in(folder.resolve(".hoodie/metadata"), HoodieTableType.MERGE_ON_READ);
    assertThat(metadataTable(table).isPresent()).isTrue();
  }

  private static Option<HoodieTableMetaClient> metadataTable(HoodieTableMetaClient table) {
    return Instants.metadataTableOf(HoodieTableMetaClient.reload(table));
  }
}
