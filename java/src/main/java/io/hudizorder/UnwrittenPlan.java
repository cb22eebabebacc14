package io.hudizorder;

import io.hudizorder.plan.LeftAlone;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.apache.hudi.client.BaseHoodieClient;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.table.HoodieSparkTable;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.cluster.ClusteringPlanActionExecutor;

/**
 * The plan that a client would write to the timeline, made as Hudi makes it and kept to itself; and
 * what it leaves alone.
 */
public final class UnwrittenPlan {

  private final HoodieTable<?, ?, ?, ?> table;
  private final List<HoodieClusteringGroup> groups;
  private final List<HoodieClusteringGroup> notes;

  private UnwrittenPlan(
      HoodieTable<?, ?, ?, ?> table,
      List<HoodieClusteringGroup> groups,
      List<HoodieClusteringGroup> notes) {
    this.table = table;
    this.groups = groups;
    this.notes = notes;
  }

  /**
   * Plans.
   *
   * @param client of the table, with the configuration of the clustering
   * @throws HoodieClusteringException for options that the clustering would refuse
   */
  public static UnwrittenPlan of(BaseHoodieClient client) {
    HoodieWriteConfig config = client.getConfig();
    HoodieEngineContext engine = client.getEngineContext();
    HoodieTable<?, ?, ?, ?> table = HoodieSparkTable.create(config, engine);
    Planner<?, ?, ?, ?> planner =
        new Planner<>(engine, config, table, client.createNewInstantTime(false));
    List<HoodieClusteringGroup> groups =
        planner.plan().map(HoodieClusteringPlan::getInputGroups).orElse(Collections.emptyList());
    return new UnwrittenPlan(table, groups, planner.notes);
  }

  HoodieTable<?, ?, ?, ?> table() {
    return table;
  }

  List<HoodieClusteringGroup> groups() {
    return groups;
  }

  /**
   * One line a group, then one for each time that something of a partition is left alone: files to
   * be written, ids of the file groups to be replaced, metrics as {@code name=number}, partition.
   */
  public String describe() {
    return Stream.concat(groups.stream(), notes.stream())
        .map(UnwrittenPlan::describe)
        .collect(Collectors.joining("\n"));
  }

  private static String describe(HoodieClusteringGroup group) {
    return String.join(
        "\t",
        LeftAlone.isNote(group) ? "0" : group.getNumOutputFileGroups().toString(),
        group.getSlices().stream().map(HoodieSliceInfo::getFileId).collect(Collectors.joining(",")),
        group.getMetrics().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(metric -> metric.getKey() + "=" + metric.getValue())
            .collect(Collectors.joining(",")),
        LeftAlone.partition(group));
  }

  /** Makes a plan and does not save it. */
  private static final class Planner<T, I, K, O> extends ClusteringPlanActionExecutor<T, I, K, O>
      implements PlanObserver {
    private static final long serialVersionUID = 1L;

    private final transient List<HoodieClusteringGroup> notes = new ArrayList<>();

    Planner(
        HoodieEngineContext engine,
        HoodieWriteConfig config,
        HoodieTable<T, I, K, O> table,
        String instant) {
      super(engine, config, table, instant, Option.empty());
    }

    Option<HoodieClusteringPlan> plan() {
      return createClusteringPlan();
    }

    @Override
    public void leftAlone(List<HoodieClusteringGroup> told) {
      notes.addAll(told);
    }
  }
}
