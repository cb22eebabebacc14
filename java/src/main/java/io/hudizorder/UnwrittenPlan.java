package io.hudizorder;

import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.hudi.Instants;
import io.hudizorder.plan.GroupParts;
import io.hudizorder.plan.upkeep.LeftAlone;
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
import org.apache.hudi.common.util.Option;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.table.HoodieSparkTable;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.cluster.ClusteringPlanActionExecutor;

/**
 * The plan that a client would write to the timeline, made as Hudi makes it and kept to itself; and
 * what it leaves alone.
 */
public final class UnwrittenPlan {

  private final BaseHoodieClient client;
  private final HoodieTable<?, ?, ?, ?> table;
  private final Option<HoodieClusteringPlan> plan;
  private final List<HoodieClusteringGroup> notes;

  private UnwrittenPlan(
      BaseHoodieClient client,
      HoodieTable<?, ?, ?, ?> table,
      Option<HoodieClusteringPlan> plan,
      List<HoodieClusteringGroup> notes) {
    this.client = client;
    this.table = table;
    this.plan = plan;
    this.notes = notes;
  }

  /**
   * Plans.
   *
   * @param client of the table, with the configuration of the clustering
   * @throws HoodieClusteringException for options that the clustering would refuse
   */
  static UnwrittenPlan of(BaseHoodieClient client) {
    HoodieTable<?, ?, ?, ?> table = table(client);
    return new UnwrittenPlan(client, table, new Planner<>(client, table).plan(), List.of());
  }

  /** The same, with what it leaves alone and what is gained by either mode. */
  public static UnwrittenPlan explained(BaseHoodieClient client) {
    HoodieTable<?, ?, ?, ?> table = table(client);
    ObservingPlanner<?, ?, ?, ?> planner = new ObservingPlanner<>(client, table);
    return new UnwrittenPlan(client, table, planner.plan(), planner.notes);
  }

  private static HoodieTable<?, ?, ?, ?> table(BaseHoodieClient client) {
    return HoodieSparkTable.create(client.getConfig(), client.getEngineContext());
  }

  HoodieTable<?, ?, ?, ?> table() {
    return table;
  }

  List<HoodieClusteringGroup> groups() {
    return plan.map(HoodieClusteringPlan::getInputGroups).orElse(Collections.emptyList());
  }

  /** What it would store of the options, the last clustering's among them; empty if no plan. */
  Map<String, String> parameters() {
    return plan.map(made -> made.getStrategy().getStrategyParams()).orElse(Collections.emptyMap());
  }

  /** The time as of which the plan reads the table. */
  Option<String> lastInstant() {
    return timelineOf(table.getMetaClient())
        .filterCompletedInstants()
        .lastInstant()
        .map(Instants::timeOf);
  }

  /**
   * What queries would read that files are cut for, as an execution finds before it writes. Lines
   * as of {@link ClusteringReport#forecast}; none where nothing is cut.
   *
   * @param mostGroups how many groups are sampled at most, those of most files, for all that are of
   *     several
   */
  public List<String> forecast(int mostGroups) {
    ForetoldGroups foretold = ForetoldGroups.of(GroupParts.joined(groups(), true), mostGroups);
    if (foretold.sampled().isEmpty()) {
      return List.of();
    }
    return new ZOrderClusteringExecutionStrategy<>(
            table, client.getEngineContext(), client.getConfig())
        .forecast(foretold, lastInstant().get(), parameters());
  }

  /**
   * One line a group, then one for each time that something of a partition is left alone: files to
   * be written, ids of the file groups to be replaced, metrics as {@code name=number}, partition.
   */
  public String describe() {
    return Stream.concat(groups().stream(), notes.stream())
        .map(UnwrittenPlan::describe)
        .collect(Collectors.joining("\n"));
  }

  private static String describe(HoodieClusteringGroup group) {
    return String.join(
        "\t",
        LeftAlone.isNote(group) ? "0" : Integer.toString(GroupParts.files(group)),
        group.getSlices().stream().map(HoodieSliceInfo::getFileId).collect(Collectors.joining(",")),
        group.getMetrics().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(metric -> metric.getKey() + "=" + metric.getValue())
            .collect(Collectors.joining(",")),
        LeftAlone.partition(group));
  }

  /** Makes a plan and does not save it. */
  private static class Planner<T, I, K, O> extends ClusteringPlanActionExecutor<T, I, K, O> {
    private static final long serialVersionUID = 1L;

    Planner(BaseHoodieClient client, HoodieTable<T, I, K, O> table) {
      super(
          client.getEngineContext(),
          client.getConfig(),
          table,
          Instants.now(table.getMetaClient()),
          Option.empty());
    }

    Option<HoodieClusteringPlan> plan() {
      return createClusteringPlan();
    }
  }

  private static final class ObservingPlanner<T, I, K, O> extends Planner<T, I, K, O>
      implements PlanObserver {
    private static final long serialVersionUID = 1L;

    private final transient List<HoodieClusteringGroup> notes = new ArrayList<>();

    ObservingPlanner(BaseHoodieClient client, HoodieTable<T, I, K, O> table) {
      super(client, table);
    }

    @Override
    Option<HoodieClusteringPlan> plan() {
      return FormatCalls.here().planner().isPresent()
          ? new ZOrderClusteringPlanStrategy<>(table, context, config)
              .generateClusteringPlan(Option.of(this))
          : super.plan();
    }

    @Override
    public void leftAlone(List<HoodieClusteringGroup> told) {
      notes.addAll(told);
    }
  }
}
