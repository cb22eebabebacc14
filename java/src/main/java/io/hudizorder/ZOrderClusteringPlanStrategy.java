package io.hudizorder;

import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_MAX_BYTES_PER_OUTPUT_FILEGROUP;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_MAX_GROUPS;
import static org.apache.hudi.config.HoodieClusteringConfig.PLAN_STRATEGY_SMALL_FILE_LIMIT;

import io.hudizorder.concurrency.WriteInFlight;
import io.hudizorder.option.ChosenValues;
import io.hudizorder.plan.LeastValueOrder;
import io.hudizorder.plan.SliceSizes;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.table.SuitableTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.clustering.plan.strategy.SparkSizeBasedClusteringPlanStrategy;
import org.apache.hudi.common.config.ConfigProperty;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;
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

  private static final Map<ConfigProperty<String>, String> NO_LIMITS =
      Map.of(
          PLAN_STRATEGY_MAX_BYTES_PER_OUTPUT_FILEGROUP, Long.toString(Long.MAX_VALUE),
          PLAN_STRATEGY_SMALL_FILE_LIMIT, Long.toString(Long.MAX_VALUE),
          PLAN_STRATEGY_MAX_GROUPS, Integer.toString(Integer.MAX_VALUE));

  private transient ClusteringSetup setup;

  /** What groups are ordered by; it travels with the strategy into the tasks that plan groups. */
  private SortColumn leading;

  /** Where a plan would be in vain, for a write is under way there. */
  private HashSet<String> busy;

  public ZOrderClusteringPlanStrategy(
      HoodieTable<?, ?, ?, ?> table,
      HoodieEngineContext engineContext,
      HoodieWriteConfig writeConfig) {
    super(table, engineContext, unlimited(writeConfig));
  }

  /**
   * A client's configuration, without the limits that Hudi fills in where none was chosen: they
   * would leave out large files, which then overlap all others, and all but 30 groups. Told here:
   * in the tasks that group slices, no default is the very default's string.
   */
  private static HoodieWriteConfig unlimited(HoodieWriteConfig clients) {
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder().withProperties(clients.getProps()).build();
    NO_LIMITS.forEach(
        (option, none) -> {
          if (!ChosenValues.isChosen(clients.getProps(), option)) {
            config.setValue(option, none);
          }
        });
    return config;
  }

  @Override
  public Option<HoodieClusteringPlan> generateClusteringPlan(
      ClusteringPlanActionExecutor executor, Lazy<List<String>> partitions) {
    try {
      setup =
          ClusteringSetup.of(
              getHoodieTable().getMetaClient(), getWriteConfig(), Collections.emptyMap());
      leading = setup.columns().sortColumns().get(0);
      busy =
          new HashSet<>(
              WriteInFlight.busyPartitions(getHoodieTable().getMetaClient(), getWriteConfig()));
      Option<HoodieClusteringPlan> plan = super.generateClusteringPlan(executor, partitions);
      plan.ifPresent(SuitableTable::require);
      return plan;
    } catch (IllegalArgumentException e) {
      throw new HoodieClusteringException(e.getMessage() + ". Nothing was planned.", e);
    }
  }

  /**
   * Takes a partition as one group, so that its files share one layout: groups that are packed by
   * size, as Hudi's are, each span the whole key range and lie over one another. Only where {@code
   * max.bytes.per.group} is set is a partition divided, in the order of the first sort column's
   * least values, so that groups overlap no more than their files did. A partition of which a write
   * under way has said that it changes files there is left alone.
   */
  @Override
  protected Pair<Stream<HoodieClusteringGroup>, Boolean> buildClusteringGroupsForPartition(
      String partitionPath, List<FileSlice> slices) {
    if (busy.contains(partitionPath)) {
      return Pair.of(Stream.empty(), false);
    }
    HoodieWriteConfig config = getWriteConfig();
    SliceSizes sizes = new SliceSizes(config);
    long groupBytes = config.getClusteringMaxBytesInGroup();
    List<List<FileSlice>> groups = new ArrayList<>();
    long bytes = 0;
    for (FileSlice slice : inKeyOrder(slices, sizes.total(slices) > groupBytes)) {
      long size = sizes.of(slice);
      if (groups.isEmpty() || bytes + size > groupBytes) {
        groups.add(new ArrayList<>());
        bytes = 0;
      }
      groups.get(groups.size() - 1).add(slice);
      bytes += size;
    }
    Stream<HoodieClusteringGroup> planned =
        groups.stream()
            .map(group -> planned(group, files(sizes.total(group))))
            .filter(group -> isWorthwhile(group, config));
    return Pair.of(planned, false);
  }

  private List<FileSlice> inKeyOrder(List<FileSlice> slices, boolean divided) {
    return divided
        ? LeastValueOrder.of(getHoodieTable().getStorage(), leading).sort(slices)
        : slices;
  }

  private HoodieClusteringGroup planned(List<FileSlice> slices, int files) {
    return HoodieClusteringGroup.newBuilder()
        .setSlices(getFileSliceInfo(slices))
        .setNumOutputFileGroups(files)
        .setMetrics(buildMetrics(slices))
        .build();
  }

  private int files(long bytes) {
    return Math.max(
        1, getNumberOfOutputFileGroups(bytes, getWriteConfig().getClusteringTargetFileMaxBytes()));
  }

  private static boolean isWorthwhile(HoodieClusteringGroup group, HoodieWriteConfig config) {
    return group.getSlices().size() > 1
        || group.getNumOutputFileGroups() > 1
        || config.shouldClusteringSingleGroup();
  }

  @Override
  protected Map<String, String> getStrategyParams() {
    return setup.options().toPlanParameters();
  }
}
