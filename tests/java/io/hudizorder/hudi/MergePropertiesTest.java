package io.hudizorder.hudi;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.EmptyTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.config.HoodieWriteConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MergePropertiesTest {

  private static final String KEY = "hoodie.write.record.merge.custom.implementation.classes";
  private static final String OLDER = "hoodie.datasource.write.record.merger.impls";

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {KEY, OLDER})
  void mergersReachTheReaderByWhicheverKeyTheyAreNamed(String key) throws IOException {
    assertThat(of(Map.of(key, "org.example.Merger")))
        .containsEntry(key, "org.example.Merger")
        .containsEntry(HoodieTableConfig.NAME.key(), "t");
  }

  @Test
  void whereNoneIsNamedTheTableTellsAll() throws IOException {
    assertThat(of(Map.of())).doesNotContainKeys(KEY, OLDER);
  }

  private Map<Object, Object> of(Map<String, String> settings) throws IOException {
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.MERGE_ON_READ);
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder().withPath(folder.toString()).withProps(settings).build();
    return MergeProperties.of(table, config);
  }
}
