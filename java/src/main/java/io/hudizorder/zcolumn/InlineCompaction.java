package io.hudizorder.zcolumn;

import static org.apache.hudi.common.model.HoodieTableType.MERGE_ON_READ;

import java.util.Optional;
import org.apache.hudi.DataSourceWriteOptions;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.config.HoodieCompactionConfig;
import scala.collection.immutable.Map;

/**
 * Hudi compacts within a batch, unless told otherwise, and not within a stream, for which it takes
 * every write that has a say in its commit.
 */
final class InlineCompaction {

  private InlineCompaction() {}

  static Map<String, String> asOfBatches(
      Map<String, String> options, Optional<HoodieTableMetaClient> table) {
    String type =
        options
            .get(DataSourceWriteOptions.TABLE_TYPE().key())
            .getOrElse(() -> table.map(t -> t.getTableType().name()).orElse(""));
    boolean chosen =
        options.contains(HoodieCompactionConfig.INLINE_COMPACT.key())
            || options.contains(DataSourceWriteOptions.ASYNC_COMPACT_ENABLE().key());
    return MERGE_ON_READ.name().equals(type) && !chosen
        ? options.updated(HoodieCompactionConfig.INLINE_COMPACT.key(), "true")
        : options;
  }
}
