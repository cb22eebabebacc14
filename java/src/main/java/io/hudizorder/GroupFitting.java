package io.hudizorder;

import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.layout.query.ReachingQueries;
import io.hudizorder.option.GroupKeys;
import io.hudizorder.plan.GroupLayout;
import io.hudizorder.plan.GroupParts;
import io.hudizorder.read.PlannedInput;
import io.hudizorder.write.FittedGroup;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.config.HoodieWriteConfig;

/**
 * Fits the layout of each group of a plan, by what the plan says of it and by the queries that ask
 * for its partition, and foretells what these would read.
 */
final class GroupFitting {

  private final ClusteringSetup setup;
  private final long targetBytes;

  /**
   * @param config of the execution, which has the size of files
   */
  GroupFitting(ClusteringSetup setup, HoodieWriteConfig config) {
    this.setup = setup;
    this.targetBytes = config.getClusteringTargetFileMaxBytes();
  }

  GroupLayout layout(HoodieClusteringGroup group) {
    return GroupLayout.of(group, setup.options().layout(), targetBytes);
  }

  /**
   * Samples a group and fits its layout.
   *
   * @param forecast that takes in what queries would read of it
   * @param groups for how many the group stands in the forecast
   */
  FittedGroup fit(
      HoodieClusteringGroup group, PlannedInput input, QueryForecast forecast, double groups) {
    int files = Math.max(1, group.getNumOutputFileGroups());
    String partitionPath = GroupParts.partition(group);
    LayoutSpec all = layout(group).of(setup.options().layout());
    ReachingQueries queries = setup.queries().reaching(setup.columns().partition(partitionPath));
    LayoutSpec layout = all.withQueries(queries);
    FittedGroup fitted =
        FittedGroup.fit(setup.clustering(layout), setup.columns(), input, partitionPath, files);
    fitted
        .queryShares()
        .ifPresent(
            shares -> forecast.add(shares, queries.share(), layout.columns(), groups * files));
    return fitted;
  }

  /**
   * Takes in what queries read of groups of which nothing is fitted: their only files.
   *
   * @param forecast that has taken in all others; of many partitions and queries it takes long to
   *     say what they read, and of no use where it tells nothing
   */
  void addWhole(List<HoodieClusteringGroup> some, QueryForecast forecast) {
    if (forecast.isEmpty()) {
      return;
    }
    Map<String, Double> filled = new HashMap<>();
    for (HoodieClusteringGroup group : some) {
      if (group.getNumOutputFileGroups() <= 1) {
        filled.merge(GroupParts.partition(group), fullness(group, targetBytes), Double::sum);
      }
    }
    filled.forEach(
        (partition, files) ->
            forecast.addWhole(setup.queries().share(setup.columns().partition(partition)), files));
  }

  /** How full a group's only file is; full where the plan of another strategy does not say. */
  static double fullness(HoodieClusteringGroup group, long targetBytes) {
    Map<String, Double> told = group.getMetrics();
    Double bytes = told == null ? null : told.get(GroupKeys.BYTES);
    return bytes == null ? 1 : Math.min(1, bytes / targetBytes);
  }
}
