package io.hudizorder.plan;

import static io.hudizorder.hudi.Instants.timelineOf;
import static io.hudizorder.option.OwnOptions.QUERIES;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_SORT_COLUMNS;

import io.hudizorder.option.ChosenValues;
import io.hudizorder.option.OwnOptions;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;

/** The layout that a table was last asked for, as the plans on its timeline tell it. */
public final class LastLayout {

  private LastLayout() {}

  /**
   * The options in the plan of the last completed clustering of ours; none where there was none, or
   * it is archived.
   */
  public static Map<String, String> of(HoodieTableMetaClient table) {
    return timelineOf(table)
        .getCompletedReplaceTimeline()
        .getReverseOrderedInstants()
        .map(instant -> ClusteringUtils.getClusteringPlan(table, instant))
        .filter(Option::isPresent)
        .map(Option::get)
        .map(Pair::getRight)
        .map(LastLayout::parameters)
        .filter(LastLayout::isOurs)
        .findFirst()
        .orElse(Collections.emptyMap());
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
    return ChosenValues.of(given).sortColumns().equals(columns)
        ? ChosenValues.completed(given, Map.of(QUERIES.key(), last.get(QUERIES.key())))
        : given;
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
