package io.hudizorder.hudi.v0_15;

import io.hudizorder.hudi.GroupPlanner;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.client.clustering.plan.strategy.SparkSizeBasedClusteringPlanStrategy;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.table.HoodieTable;

/** Hudi's plans, with another who plans the groups of a partition. */
final class GroupPlanning<T> extends SparkSizeBasedClusteringPlanStrategy<T> {

  private static final long serialVersionUID = 1L;

  private final GroupPlanner planner;

  GroupPlanning(
      HoodieTable<?, ?, ?, ?> table,
      HoodieEngineContext engine,
      HoodieWriteConfig config,
      GroupPlanner planner) {
    super(table, engine, config);
    this.planner = planner;
  }

  /** One that is chosen twice is one: a plan with a file group twice nobody can read. */
  @Override
  protected List<String> filterPartitionPaths(List<String> partitionPaths) {
    return super.filterPartitionPaths(
        partitionPaths.stream().distinct().collect(Collectors.toList()));
  }

  @Override
  protected Stream<HoodieClusteringGroup> buildClusteringGroupsForPartition(
      String partition, List<FileSlice> slices) {
    return planner.groups(partition, slices);
  }

  @Override
  protected Map<String, String> getStrategyParams() {
    return planner.parameters();
  }
}
