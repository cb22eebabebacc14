package io.hudizorder;

import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_MAX_BYTES_PER_OUTPUT_FILEGROUP;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_MAX_GROUPS;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_SMALL_FILE_LIMIT;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_TARGET_FILE_MAX_BYTES;

import io.hudizorder.hudi.HudiRelease;
import io.hudizorder.option.ChosenValues;
import io.hudizorder.plan.LastLayout;
import java.util.List;
import java.util.Map;
import org.apache.hudi.common.config.ConfigProperty;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.table.HoodieTable;

/** Hudi's own limits of a plan: what a client has chosen, and nothing that Hudi fills in. */
final class PlannerConfig {

  private static final Map<ConfigProperty<String>, String> NO_LIMITS =
      Map.of(
          PLAN_STRATEGY_MAX_BYTES_PER_OUTPUT_FILEGROUP, Long.toString(Long.MAX_VALUE),
          PLAN_STRATEGY_SMALL_FILE_LIMIT, Long.toString(Long.MAX_VALUE));

  /** Since Hudi 1.0. */
  private static final String INCREMENTAL = "hoodie.table.services.incremental.enabled";

  private final HoodieWriteConfig clients;
  private final HoodieWriteConfig completed;

  /**
   * @param clients as Hudi gives it to a strategy
   * @param completed what {@link #completed} has made of it
   */
  PlannerConfig(HoodieWriteConfig clients, HoodieWriteConfig completed) {
    this.clients = clients;
    this.completed = completed;
  }

  /**
   * A client's configuration, without the limits that Hudi fills in where none was chosen: they
   * would leave out large files, which then overlap all others. Told here: in the tasks that group
   * slices, no default is the very default's string. Nor does Hudi limit the number of groups, for
   * it takes the first ones that it finds. Files become as large as the last clustering's: by
   * another target, all that it laid out would be laid out again.
   */
  static HoodieWriteConfig completed(HoodieTable<?, ?, ?, ?> table, HoodieWriteConfig clients) {
    HudiRelease.requireSupported();
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder().withProperties(clients.getProps()).build();
    config.setValue(PLAN_STRATEGY_MAX_GROUPS, Integer.toString(Integer.MAX_VALUE));
    // A plan tells what it leaves out even where its own planner looks at all partitions: the next
    // planner may be a writer, which by default looks only where something has changed since.
    config.setValue(INCREMENTAL, "true");
    NO_LIMITS.forEach(
        (option, none) -> {
          if (!ChosenValues.isChosen(clients.getProps(), option)) {
            config.setValue(option, none);
          }
        });
    if (!ChosenValues.isChosen(clients.getProps(), PLAN_STRATEGY_TARGET_FILE_MAX_BYTES)) {
      config.setValue(PLAN_STRATEGY_TARGET_FILE_MAX_BYTES, lastTarget(table));
    }
    return config;
  }

  private static String lastTarget(HoodieTable<?, ?, ?, ?> table) {
    return LastLayout.of(table.getMetaClient())
        .getOrDefault(
            PLAN_STRATEGY_TARGET_FILE_MAX_BYTES.key(), ZOrderOptions.DEFAULT_TARGET_FILE_BYTES);
  }

  /**
   * Refuses limits that are no numbers above 0: what Hudi cannot read it tells without the key.
   *
   * @throws IllegalArgumentException with the key, the value and the remedy
   */
  void require() {
    ChosenValues values = ChosenValues.of(completed.getProps());
    for (ConfigProperty<String> bytes :
        List.of(
            PLAN_STRATEGY_TARGET_FILE_MAX_BYTES,
            PLAN_STRATEGY_MAX_BYTES_PER_OUTPUT_FILEGROUP,
            PLAN_STRATEGY_SMALL_FILE_LIMIT)) {
      values.number(bytes, 1, Long.MAX_VALUE, "bytes");
    }
    maxGroups();
  }

  /** How many groups a plan has at most. */
  int maxGroups() {
    return ChosenValues.isChosen(clients.getProps(), PLAN_STRATEGY_MAX_GROUPS)
        ? (int)
            ChosenValues.of(clients.getProps())
                .number(PLAN_STRATEGY_MAX_GROUPS, 1, Integer.MAX_VALUE, "groups")
        : Integer.MAX_VALUE;
  }
}
