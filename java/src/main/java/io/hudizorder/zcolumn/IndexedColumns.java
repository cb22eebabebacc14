package io.hudizorder.zcolumn;

import java.util.Arrays;
import org.apache.hudi.common.config.HoodieMetadataConfig;
import scala.collection.immutable.Map;

/**
 * The list of columns that a write has indexed. Hudi asks the index for what the last list names,
 * and for nothing else, so that a list without the z-column would end all skipping by it.
 */
final class IndexedColumns {

  private static final String LIST = HoodieMetadataConfig.COLUMN_STATS_INDEX_FOR_COLUMNS.key();

  private IndexedColumns() {}

  /** The options with the z-column in their list, if they have one. */
  static Map<String, String> with(String zColumn, Map<String, String> options) {
    String list = options.contains(LIST) ? options.apply(LIST) : "";
    boolean named = Arrays.stream(list.split(",")).map(String::trim).anyMatch(zColumn::equals);
    return list.isBlank() || named ? options : options.updated(LIST, list + "," + zColumn);
  }
}
