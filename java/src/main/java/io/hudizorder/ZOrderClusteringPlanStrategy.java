package io.hudizorder;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.clustering.plan.strategy.SparkSizeBasedClusteringPlanStrategy;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.cluster.ClusteringPlanActionExecutor;
import org.apache.hudi.util.Lazy;

/**
 * Plans a clustering: checks every option against the table before there is a plan, and stores the
 * whole layout in it, so that whoever executes it lays rows out as its author asked; the class to
 * name in {@code hoodie.clustering.plan.strategy.class}.
 */
public class ZOrderClusteringPlanStrategy<T> extends SparkSizeBasedClusteringPlanStrategy<T> {

  private static final long serialVersionUID = 1L;

  private transient ClusteringSetup setup;

  public ZOrderClusteringPlanStrategy(
      HoodieTable<?, ?, ?, ?> table,
      HoodieEngineContext engineContext,
      HoodieWriteConfig writeConfig) {
    super(table, engineContext, writeConfig);
  }

  @Override
  public Option<HoodieClusteringPlan> generateClusteringPlan(
      ClusteringPlanActionExecutor executor, Lazy<List<String>> partitions) {
    try {
      setup =
          ClusteringSetup.of(
              getHoodieTable().getMetaClient(), getWriteConfig(), Collections.emptyMap());
    } catch (IllegalArgumentException e) {
      throw new HoodieClusteringException(e.getMessage() + ". Nothing was planned.", e);
    }
    return super.generateClusteringPlan(executor, partitions);
  }

  @Override
  protected Map<String, String> getStrategyParams() {
    return setup.options().toPlanParameters();
  }
}
