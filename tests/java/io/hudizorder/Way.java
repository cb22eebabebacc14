package io.hudizorder;

import java.util.Map;

/** How the rows of a group of a small table go from its files to others. */
enum Way {
  /** Every group is sampled and shuffled, and becomes several files. */
  GROUPS(Map.of("hoodie.clustering.plan.strategy.target.file.max.bytes", "9000")),
  /** A group that becomes one file goes with other small ones. */
  SMALL_GROUPS(Map.of()),
  RECORDS(Map.of("hoodie.datasource.write.row.writer.enable", "false"));

  private final Map<String, String> settings;

  Way(Map<String, String> settings) {
    this.settings = settings;
  }

  /** Has the table clustered in this way. */
  HudiTable of(HudiTable table) {
    settings.forEach(table::with);
    return table;
  }
}
