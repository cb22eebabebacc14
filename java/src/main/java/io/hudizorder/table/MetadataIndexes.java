package io.hudizorder.table;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.hudi.HudiCalls;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.metadata.MetadataPartitionType;

/**
 * Holds the indexes of a table's metadata table against the configuration that is going to commit.
 * Hudi deletes every index that this one does not ask for, and writes a partitioned record index as
 * a global one where it is not told, so that keys would be found where they were before.
 */
public final class MetadataIndexes {

  private static final String ENABLE = "hoodie.metadata.enable";
  private static final String BLOOM_FILTERS = "hoodie.metadata.index.bloom.filter.enable";
  private static final String COLUMN_STATISTICS = "hoodie.metadata.index.column.stats.enable";
  private static final String PARTITIONED_RECORD_INDEX =
      "hoodie.metadata.record.level.index.enable";

  private final Set<String> existing;
  private final HoodieWriteConfig config;

  private MetadataIndexes(Set<String> existing, HoodieWriteConfig config) {
    this.existing = existing;
    this.config = config;
  }

  /**
   * Refuses a configuration whose commit would cost an index.
   *
   * @throws IllegalArgumentException with the index and the setting that keeps it
   */
  public static void requireKept(HoodieTableMetaClient metaClient, HoodieWriteConfig config) {
    MetadataIndexes indexes =
        new MetadataIndexes(metaClient.getTableConfig().getMetadataPartitions(), config);
    boolean partitioned = FormatCalls.here().isRecordIndexPartitioned(metaClient);
    // Whatever else it is told: Hudi deletes the metadata table, or commits without writing to it,
    // and who lists files by it then finds none of the new ones.
    indexes.require(MetadataPartitionType.FILES, config.isMetadataTableEnabled(), ENABLE);
    if (HudiCalls.here().deletesOtherIndexes(config)) {
      indexes.require(
          MetadataPartitionType.RECORD_INDEX,
          HudiCalls.here().keepsRecordIndex(config),
          partitioned ? PARTITIONED_RECORD_INDEX : HudiCalls.here().recordIndexSetting());
      indexes.require(
          MetadataPartitionType.BLOOM_FILTERS,
          config.isMetadataBloomFilterIndexEnabled(),
          BLOOM_FILTERS);
      indexes.require(
          MetadataPartitionType.COLUMN_STATS,
          config.isMetadataColumnStatsIndexEnabled(),
          COLUMN_STATISTICS);
    }
    if (partitioned) {
      indexes.require(
          MetadataPartitionType.RECORD_INDEX,
          HudiCalls.here().keepsPartitionedRecordIndex(config),
          PARTITIONED_RECORD_INDEX);
    }
  }

  private void require(MetadataPartitionType index, boolean kept, String setting) {
    if (!kept && existing.contains(index.getPartitionPath())) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot cluster: the metadata table of '%s' has the index '%s', which the commit"
                  + " would cost, as '%s' was 'false'; set it to 'true', as its writer does, or"
                  + " drop the index first",
              config.getBasePath(), index.getPartitionPath(), setting));
    }
  }

  /** The settings by which a commit keeps every index of a table; called from Python. */
  public static Map<String, String> keeping(HoodieTableMetaClient metaClient) {
    Set<String> existing = metaClient.getTableConfig().getMetadataPartitions();
    Map<String, String> settings = new HashMap<>();
    settings.put("hoodie.metadata.auto.delete.partitions", "false");
    if (FormatCalls.here().isRecordIndexPartitioned(metaClient)) {
      settings.put(PARTITIONED_RECORD_INDEX, "true");
    } else if (existing.contains(MetadataPartitionType.RECORD_INDEX.getPartitionPath())) {
      settings.put(HudiCalls.here().recordIndexSetting(), "true");
    }
    if (existing.contains(MetadataPartitionType.BLOOM_FILTERS.getPartitionPath())) {
      settings.put(BLOOM_FILTERS, "true");
    }
    return settings;
  }
}
