package io.hudizorder.table;

import java.util.List;
import org.apache.hudi.common.config.HoodieMetadataConfig;
import org.apache.hudi.config.HoodieWriteConfig;

/**
 * How many tasks make the statistics of new files at a commit. Each of them opens the metadata
 * table anew: the 200 that Hudi begins, however few its cores, cost more than what they do.
 */
public final class StatisticsTasks {

  private static final int A_CORE = 2;

  /** Hudi's number, which stands for nobody's choice. */
  private static final int HUDIS = 200;

  private static final List<String> SETTINGS =
      List.of(
          "hoodie.metadata.index.column.stats.parallelism",
          "hoodie.metadata.index.partition.stats.parallelism");

  private StatisticsTasks() {}

  /**
   * Has a client begin fewer of them from now on, unless somebody has chosen their number.
   *
   * @param committing what the client commits by, itself and not a copy
   */
  public static void limit(HoodieWriteConfig committing, int cores) {
    HoodieMetadataConfig metadata = committing.getMetadataConfig();
    String fewer = Integer.toString(Math.min(HUDIS, A_CORE * cores));
    for (String setting : SETTINGS) {
      if (String.valueOf(HUDIS).equals(metadata.getString(setting))) {
        metadata.setValue(setting, fewer);
      }
    }
  }
}
