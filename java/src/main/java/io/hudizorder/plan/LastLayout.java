package io.hudizorder.plan;

import static io.hudizorder.hudi.Instants.timelineOf;
import static io.hudizorder.option.OwnOptions.QUERIES;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_SORT_COLUMNS;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.option.ChosenValues;
import io.hudizorder.option.OwnOptions;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;

/** The layout that a table was last asked for, as the plans on its timeline tell it. */
public final class LastLayout {

  private LastLayout() {}

  /**
   * The options in the plan of the last completed clustering of ours; none where there was none.
   * The archive is looked at where the timeline has none.
   */
  public static Map<String, String> of(HoodieTableMetaClient table) {
    Stream<HoodieClusteringPlan> onTimeline =
        timelineOf(table)
            .getCompletedReplaceTimeline()
            .getReverseOrderedInstants()
            .map(instant -> ClusteringUtils.getClusteringPlan(table, instant))
            .filter(Option::isPresent)
            .map(Option::get)
            .map(Pair::getRight);
    return first(onTimeline)
        .or(() -> first(FormatCalls.here().archivedPlans(table)))
        .orElse(Collections.emptyMap());
  }

  private static Optional<Map<String, String>> first(Stream<HoodieClusteringPlan> plans) {
    return plans.map(LastLayout::parameters).filter(LastLayout::isOurs).findFirst();
  }

  /**
   * The properties of a write, with the queries that the last clustering was for: one by the same
   * columns goes on with these, unless it brings its own.
   */
  public static Properties withQueries(HoodieTableMetaClient table, Properties given) {
    if (!given.getProperty(QUERIES.key(), "").trim().isEmpty()) {
      return given;
    }
    Map<String, String> last = of(table);
    if (!last.containsKey(QUERIES.key())) {
      return given;
    }
    List<String> columns = ChosenValues.of(new Properties()).overlaidWith(last).sortColumns();
    return inAnyCase(ChosenValues.of(given).sortColumns()).equals(inAnyCase(columns))
        ? ChosenValues.completed(given, Map.of(QUERIES.key(), last.get(QUERIES.key())))
        : given;
  }

  private static List<String> inAnyCase(List<String> columns) {
    return columns.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toList());
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
