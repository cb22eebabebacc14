package io.hudizorder.hudi;

import static org.apache.hudi.common.config.HoodieReaderConfig.RECORD_MERGE_IMPL_CLASSES_DEPRECATED_WRITE_CONFIG_KEY;
import static org.apache.hudi.common.config.HoodieReaderConfig.RECORD_MERGE_IMPL_CLASSES_WRITE_CONFIG_KEY;

import java.util.List;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.config.HoodieWriteConfig;

/**
 * What tells Hudi's reader of file groups how to merge records, since Hudi 1.0. A query passes it
 * on; Hudi's own clustering does not, and so writes the mark of a value that an update left out in
 * place of the value, or the later of two updates in place of the one that orders last.
 */
public final class MergeProperties {

  /** By which a table's merge strategy finds its class; not properties of the table. */
  private static final List<String> MERGERS =
      List.of(
          RECORD_MERGE_IMPL_CLASSES_WRITE_CONFIG_KEY,
          RECORD_MERGE_IMPL_CLASSES_DEPRECATED_WRITE_CONFIG_KEY);

  private MergeProperties() {}

  /** The table's own properties, and the classes of mergers that the executing process names. */
  public static TypedProperties of(HoodieTableMetaClient table, HoodieWriteConfig config) {
    TypedProperties properties = new TypedProperties();
    properties.putAll(table.getTableConfig().getProps());
    for (String key : MERGERS) {
      String mergers = config.getString(key);
      if (mergers != null) {
        properties.setProperty(key, mergers);
      }
    }
    return properties;
  }
}
