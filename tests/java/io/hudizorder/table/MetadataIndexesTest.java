package io.hudizorder.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.EmptyTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetadataIndexesTest {

  private static final String AUTO_DELETE = "hoodie.metadata.auto.delete.partitions";

  @TempDir Path folder;

  private Map<String, String> keeping(String properties) throws Exception {
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.COPY_ON_WRITE);
    Path file = folder.resolve(".hoodie/hoodie.properties");
    Files.deleteIfExists(file.resolveSibling(".hoodie.properties.crc"));
    Files.writeString(file, properties, StandardOpenOption.APPEND);
    return MetadataIndexes.keeping(HoodieTableMetaClient.reload(table));
  }

  /** Hudi before 1.2 deletes what is not asked for, whoever only rolls something back. */
  @Test
  void everyIndexOfATableIsAskedFor() throws Exception {
    assertThat(keeping("\nhoodie.table.metadata.partitions=files,column_stats\n"))
        .isEqualTo(
            Map.of(
                AUTO_DELETE,
                "false",
                "hoodie.metadata.enable",
                "true",
                "hoodie.metadata.index.column.stats.enable",
                "true"));
  }

  @Test
  void ofATableWithoutAMetadataTableNoneIs() throws Exception {
    assertThat(keeping("")).isEqualTo(Map.of(AUTO_DELETE, "false"));
  }
}
