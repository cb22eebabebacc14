package io.hudizorder.plan;

import static io.hudizorder.hudi.Instants.lastClusterings;
import static io.hudizorder.option.OwnOptions.COLUMN_WEIGHTS;
import static io.hudizorder.option.OwnOptions.FILE_ORDER;
import static org.apache.hudi.config.HoodieClusteringConfig.LAYOUT_OPTIMIZE_BUILD_CURVE_SAMPLE_SIZE;
import static org.apache.hudi.config.HoodieClusteringConfig.LAYOUT_OPTIMIZE_SPATIAL_CURVE_BUILD_METHOD;
import static org.apache.hudi.config.HoodieClusteringConfig.LAYOUT_OPTIMIZE_STRATEGY;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_SORT_COLUMNS;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_TARGET_FILE_MAX_BYTES;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.layout.Curve;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.option.ChosenValues;
import io.hudizorder.option.OwnOptions;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.config.ConfigProperty;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.collection.Pair;

/** The layout that a table was last asked for, as the plans on its timeline tell it. */
public final class LastLayout {

  /** What makes a layout, but for its columns. */
  private static final Set<String> LAYOUT =
      Stream.of(
              PLAN_STRATEGY_TARGET_FILE_MAX_BYTES,
              LAYOUT_OPTIMIZE_STRATEGY,
              LAYOUT_OPTIMIZE_SPATIAL_CURVE_BUILD_METHOD,
              LAYOUT_OPTIMIZE_BUILD_CURVE_SAMPLE_SIZE,
              OwnOptions.CUTS,
              FILE_ORDER,
              OwnOptions.PAGE_ROW_LIMIT,
              COLUMN_WEIGHTS,
              OwnOptions.QUERIES,
              OwnOptions.SEED)
          .map(ConfigProperty::key)
          .collect(Collectors.toSet());

  private LastLayout() {}

  /**
   * The options in the plan of the last completed clustering of ours; none where there was none.
   * The archive is looked at where the timeline has none.
   */
  public static Map<String, String> of(HoodieTableMetaClient table) {
    return first(lastClusterings(table).map(Pair::getRight))
        .or(() -> first(FormatCalls.here().archivedPlans(table)))
        .orElse(Collections.emptyMap());
  }

  /**
   * Whether the last clustering on the timeline does not tell where it left something to look at:
   * that of somebody else, or one that Hudi before 1.0 has planned.
   */
  public static boolean isFollowedByUntold(HoodieTableMetaClient table) {
    return lastClusterings(table)
        .map(Pair::getRight)
        .findFirst()
        .filter(plan -> !isOurs(parameters(plan)) || !FormatCalls.here().tellsUnfinished(plan))
        .isPresent();
  }

  private static Optional<Map<String, String>> first(Stream<HoodieClusteringPlan> plans) {
    return plans.map(LastLayout::parameters).filter(LastLayout::isOurs).findFirst();
  }

  /** Whether a write that names its columns may leave anything to {@link #completed}. */
  public static boolean isLeftOpen(Properties given) {
    return !isGiven(given, OwnOptions.Z_COLUMN);
  }

  /**
   * The properties of a write, with what nobody chose as the last clustering had it, where that was
   * by the same columns: by other weights, say, all that it laid out would be laid out again. So
   * does one go on with its queries, unless it brings its own.
   *
   * @param last as {@link #of} has it
   */
  public static Properties completed(Properties given, Map<String, String> last) {
    if (!isBySameColumns(given, last)) {
      return given;
    }
    Map<String, String> others = new HashMap<>(last);
    others.keySet().retainAll(LAYOUT);
    if (others.getOrDefault(FILE_ORDER.key(), "").equals(automaticOrder(last))) {
      others.remove(FILE_ORDER.key());
    }
    Properties all = ChosenValues.completed(given, others);
    if (!isGiven(given, COLUMN_WEIGHTS)) {
      // Weights are by names, as the last clustering has spelt them.
      all.setProperty(PLAN_STRATEGY_SORT_COLUMNS.key(), last.get(PLAN_STRATEGY_SORT_COLUMNS.key()));
    }
    return all;
  }

  private static boolean isBySameColumns(Properties given, Map<String, String> last) {
    // A stored z-column is sorted by, whatever columns it is made of.
    return isGiven(given, PLAN_STRATEGY_SORT_COLUMNS)
        && !isGiven(given, OwnOptions.Z_COLUMN)
        && last.containsKey(PLAN_STRATEGY_SORT_COLUMNS.key())
        && columns(given.getProperty(PLAN_STRATEGY_SORT_COLUMNS.key()))
            .equals(columns(last.get(PLAN_STRATEGY_SORT_COLUMNS.key())));
  }

  private static boolean isGiven(Properties given, ConfigProperty<String> option) {
    return !given.getProperty(option.key(), "").trim().isEmpty();
  }

  /** What {@code file.order=auto} comes to, which plans store in its place. */
  private static String automaticOrder(Map<String, String> last) {
    boolean hilbert = Curve.HILBERT.name().equals(last.get(LAYOUT_OPTIMIZE_STRATEGY.key()));
    return ChosenValues.lower(hilbert ? LayoutSpec.FileOrder.HILBERT : LayoutSpec.FileOrder.TILES);
  }

  private static List<String> columns(String listed) {
    return Arrays.stream(listed.split(",", -1))
        .map(name -> name.trim().toLowerCase(Locale.ROOT))
        .collect(Collectors.toList());
  }

  private static Map<String, String> parameters(HoodieClusteringPlan plan) {
    Map<String, String> said = plan.getStrategy().getStrategyParams();
    return Objects.requireNonNullElse(said, Collections.emptyMap());
  }

  private static boolean isOurs(Map<String, String> parameters) {
    return parameters.containsKey(PLAN_STRATEGY_SORT_COLUMNS.key())
        && parameters.containsKey(OwnOptions.CUTS.key());
  }
}
