package io.hudizorder;

import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_MAX_BYTES_PER_OUTPUT_FILEGROUP;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_MAX_GROUPS;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_SMALL_FILE_LIMIT;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_TARGET_FILE_MAX_BYTES;

import io.hudizorder.hudi.FileTimes;
import io.hudizorder.hudi.HudiRelease;
import io.hudizorder.option.ChosenValues;
import io.hudizorder.plan.LastLayout;
import io.hudizorder.plan.slice.RunId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.hudi.common.config.ConfigProperty;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.util.Lazy;

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
  private final Map<String, String> last;

  /** By what the last clustering was planned; none by another version, or where there was none. */
  private final Lazy<Optional<Before>> before;

  /** Whether it is not known where something was written, or left, since the last clustering. */
  private final boolean untold;

  private PlannerConfig(
      HoodieWriteConfig clients,
      HoodieWriteConfig completed,
      Map<String, String> last,
      boolean untold) {
    this.clients = clients;
    this.completed = completed;
    this.last = last;
    this.before = Lazy.lazily(() -> Before.of(last));
    this.untold = untold;
  }

  /**
   * Completes a client's configuration, as Hudi gives it to a strategy: without the limits that
   * Hudi fills in where none was chosen, which would leave out large files, that then overlap all
   * others. Told here: in the tasks that group slices, no default is the very default's string. Nor
   * does Hudi limit the number of groups, for it takes the first ones that it finds. What nobody
   * chose of the layout, and the size of files, are the last clustering's: by others, all that it
   * laid out would be laid out again.
   */
  static PlannerConfig of(HoodieTableMetaClient table, HoodieWriteConfig clients) {
    HudiRelease.requireSupported();
    Map<String, String> last = LastLayout.of(table);
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder()
            .withProperties(LastLayout.completed(clients.getProps(), last))
            .build();
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
      config.setValue(PLAN_STRATEGY_TARGET_FILE_MAX_BYTES, lastTarget(last));
    }
    boolean untold = LastLayout.isFollowedByUntold(table) || FileTimes.areInAnotherZone(table);
    return new PlannerConfig(clients, config, last, untold);
  }

  /** What to plan by. */
  HoodieWriteConfig completed() {
    return completed;
  }

  /**
   * Whether there may be something to do where nothing was written since the last clustering: all
   * is wanted, or what it laid out is of another layout now, or it left alone what is wanted now.
   * What is left to look at, which a plan tells the next, a plan of others does not pass on; and
   * Hudi finds no writes since by times that are in another zone than instants.
   *
   * @param options what to plan by
   */
  boolean looksEverywhere(ZOrderOptions options) {
    return options.mode() == ZOrderOptions.Mode.FULL
        || last.isEmpty()
        || untold
        || before.get().filter(asked -> isOfSameLayout(options, asked)).isEmpty()
        || wantsMore(options);
  }

  private boolean isOfSameLayout(ZOrderOptions options, Before asked) {
    return RunId.layout(options.layout(), completed.getClusteringTargetFileMaxBytes())
        == RunId.layout(asked.options.layout(), asked.target);
  }

  /**
   * Whether the last clustering has left alone, for its threshold or a limit of bytes, what may be
   * wanted now.
   *
   * @param options what to plan by
   */
  boolean wantsMore(ZOrderOptions options) {
    return before
        .get()
        .filter(
            asked ->
                options.readThreshold() < asked.options.readThreshold()
                    || options.maxBytesPerPlan() > asked.options.maxBytesPerPlan()
                    || completed.getClusteringSmallFileLimit() > asked.smallFileLimit)
        .isPresent();
  }

  /** What a plan by these tells the next, beside its options. */
  Map<String, String> parameters() {
    return Map.of(
        // For a bulk insert that follows the layout.
        PLAN_STRATEGY_TARGET_FILE_MAX_BYTES.key(),
        Long.toString(completed.getClusteringTargetFileMaxBytes()),
        PLAN_STRATEGY_SMALL_FILE_LIMIT.key(),
        Long.toString(completed.getClusteringSmallFileLimit()));
  }

  private static String lastTarget(Map<String, String> last) {
    return last.getOrDefault(
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

  /** By what the last clustering was planned. */
  private static final class Before {
    private final ZOrderOptions options;
    private final long target;

    /** 0 where it is not told: it may have left everything alone, as those before did not. */
    private final long smallFileLimit;

    private Before(Map<String, String> last) {
      options = ZOrderOptions.of(new Properties(), last);
      target = Long.parseLong(lastTarget(last));
      smallFileLimit = Long.parseLong(last.getOrDefault(PLAN_STRATEGY_SMALL_FILE_LIMIT.key(), "0"));
    }

    static Optional<Before> of(Map<String, String> last) {
      try {
        return Optional.of(new Before(last));
      } catch (IllegalArgumentException ofAnotherVersion) {
        return Optional.empty();
      }
    }
  }
}
