package io.hudizorder.table;

import java.util.Set;
import org.apache.hudi.common.model.HoodieIndexDefinition;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.metadata.MetadataPartitionType;

/**
 * Holds the indexes of a table's metadata table against the configuration that is going to commit.
 * Hudi deletes every index that this one does not ask for, and writes a partitioned record index as
 * a global one where it is not told, so that keys would be found where they were before.
 */
public final class MetadataIndexes {

  private static final String ENABLE = "hoodie.metadata.enable";
  private static final String GLOBAL_RECORD_INDEX =
      "hoodie.metadata.global.record.level.index.enable";
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
    boolean partitioned = isRecordIndexPartitioned(metaClient);
    if (config.isAutoDeleteMdtPartitionsEnabled()) {
      indexes.require(MetadataPartitionType.FILES, config.isMetadataTableEnabled(), ENABLE);
      indexes.require(
          MetadataPartitionType.RECORD_INDEX,
          config.isGlobalRecordLevelIndexEnabled() || config.isRecordLevelIndexEnabled(),
          partitioned ? PARTITIONED_RECORD_INDEX : GLOBAL_RECORD_INDEX);
      indexes.require(
          MetadataPartitionType.BLOOM_FILTERS,
          config.isMetadataBloomFilterIndexEnabled(),
          "hoodie.metadata.index.bloom.filter.enable");
      indexes.require(
          MetadataPartitionType.COLUMN_STATS,
          config.isMetadataColumnStatsIndexEnabled(),
          "hoodie.metadata.index.column.stats.enable");
    }
    if (partitioned) {
      indexes.require(
          MetadataPartitionType.RECORD_INDEX,
          config.isRecordLevelIndexEnabled(),
          PARTITIONED_RECORD_INDEX);
    }
  }

  private void require(MetadataPartitionType index, boolean kept, String setting) {
    if (!kept && existing.contains(index.getPartitionPath())) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot cluster: the metadata table of '%s' has the index '%s', which the commit would"
                  + " cost, as '%s' was 'false'; set it to 'true', as its writer does, or drop the"
                  + " index first",
              config.getBasePath(), index.getPartitionPath(), setting));
    }
  }

  /** Whether a table has a record index for each of its partitions; called from Python. */
  public static boolean isRecordIndexPartitioned(HoodieTableMetaClient metaClient) {
    Option<HoodieIndexDefinition> definition =
        metaClient.getIndexForMetadataPartition(
            MetadataPartitionType.RECORD_INDEX.getPartitionPath());
    return definition.isPresent()
        && "true".equals(definition.get().getIndexOptions().get("isPartitioned"));
  }
}
