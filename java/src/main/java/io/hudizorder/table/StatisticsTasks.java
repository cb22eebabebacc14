package io.hudizorder.table;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.hudi.common.config.HoodieMetadataConfig;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * How many tasks make the statistics of new files at a commit. Each of them opens the metadata
 * table anew: the 200 that Hudi begins, however few its cores, cost more than what they do.
 */
public final class StatisticsTasks {

  private static final int A_CORE = 2;

  private static final String DYNAMIC_ALLOCATION = "spark.dynamicAllocation.enabled";

  /** Hudi's number, which stands for nobody's choice. */
  private static final int HUDIS = 200;

  private static final List<String> SETTINGS =
      List.of(
          "hoodie.metadata.index.column.stats.parallelism",
          "hoodie.metadata.index.partition.stats.parallelism");

  /** The number that we have given a client, who may cluster again when there are more cores. */
  private static final Map<HoodieMetadataConfig, String> OURS =
      Collections.synchronizedMap(new WeakHashMap<>());

  private StatisticsTasks() {}

  /**
   * Has a client begin so many of them until it clusters again, unless somebody has chosen their
   * number.
   *
   * @param committing what the client commits by, itself and not a copy
   */
  public static void limit(HoodieWriteConfig committing, JavaSparkContext spark) {
    boolean grows = !spark.sc().isLocal() && spark.getConf().getBoolean(DYNAMIC_ALLOCATION, false);
    limit(committing, spark.defaultParallelism(), grows);
  }

  /**
   * The same.
   *
   * @param grows whether there may be more cores once there is more to do
   */
  static void limit(HoodieWriteConfig committing, int cores, boolean grows) {
    HoodieMetadataConfig metadata = committing.getMetadataConfig();
    String tasks = Integer.toString(grows ? HUDIS : Math.min(HUDIS, A_CORE * cores));
    String nobodys = OURS.getOrDefault(metadata, Integer.toString(HUDIS));
    for (String setting : SETTINGS) {
      if (nobodys.equals(metadata.getString(setting))) {
        metadata.setValue(setting, tasks);
      }
    }
    OURS.put(metadata, tasks);
  }
}
