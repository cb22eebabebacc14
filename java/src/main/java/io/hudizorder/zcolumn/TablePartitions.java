package io.hudizorder.zcolumn;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hudi.common.table.HoodieTableConfig;

/**
 * The columns that a table is partitioned by. A reader takes their values from the names of
 * folders, where an empty text and a null are the same, and not from the rows that had z-values
 * computed.
 */
final class TablePartitions {

  private TablePartitions() {}

  /** Those that a write names, each maybe with a type, as in {@code day:TIMESTAMP}. */
  static List<String> named(String fields) {
    return fields == null
        ? List.of()
        : Arrays.stream(fields.split(","))
            .map(field -> field.split(":", -1)[0].trim())
            .collect(Collectors.toList());
  }

  static List<String> of(HoodieTableConfig table) {
    return List.of(table.getPartitionFields().orElse(new String[0]));
  }
}
