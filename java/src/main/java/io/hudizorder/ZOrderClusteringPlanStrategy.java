package io.hudizorder;

import static org.apache.hudi.table.action.cluster.ClusteringPlanPartitionFilterMode.RECENT_DAYS;

import io.hudizorder.concurrency.WriteInFlight;
import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.hudi.GroupPlanner;
import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.hudi.ObjectSizes;
import io.hudizorder.option.GroupKeys;
import io.hudizorder.option.PlanVersion;
import io.hudizorder.plan.GroupLayout;
import io.hudizorder.plan.GroupParts;
import io.hudizorder.plan.PlannedPaths;
import io.hudizorder.plan.PlanningEngine;
import io.hudizorder.plan.ServedListings;
import io.hudizorder.plan.slice.LeastValueOrder;
import io.hudizorder.plan.slice.LogRanges;
import io.hudizorder.plan.slice.SliceSizes;
import io.hudizorder.plan.upkeep.FileReason;
import io.hudizorder.plan.upkeep.LastPlan;
import io.hudizorder.plan.upkeep.LeftAlone;
import io.hudizorder.plan.upkeep.PartitionChoice;
import io.hudizorder.plan.upkeep.PartitionUpkeep;
import io.hudizorder.plan.upkeep.PlanLimit;
import io.hudizorder.plan.upkeep.TakenGroups;
import io.hudizorder.plan.upkeep.UpkeepStep;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.table.SchemaHistory;
import io.hudizorder.table.SuitableTable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.HoodieSparkSqlWriter$;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.clustering.plan.strategy.SparkSizeBasedClusteringPlanStrategy;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.BaseFile;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.view.TableFileSystemView.SliceView;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.cluster.ClusteringPlanActionExecutor;
import org.apache.hudi.util.Lazy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans a clustering: checks every option against the table before there is a plan, and stores the
 * whole layout in it, so that whoever executes it lays rows out as its author asked; the class to
 * name in {@code hoodie.clustering.plan.strategy.class}.
 */
public class ZOrderClusteringPlanStrategy<T> extends SparkSizeBasedClusteringPlanStrategy<T>
    implements GroupPlanner {

  private static final Logger LOG = LoggerFactory.getLogger(ZOrderClusteringPlanStrategy.class);

  /**
   * Set by Hudi's sink of streams, which plans once a batch is committed: if that fails, it writes
   * the batch again, twice, and then ends the JVM (HUDI_FAULTS.md).
   */
  private static final String BATCH_OF_STREAM =
      HoodieSparkSqlWriter$.MODULE$.SPARK_STREAMING_BATCH_ID();

  private static final long serialVersionUID = 1L;

  private final transient PlannerConfig limits;
  private transient ClusteringSetup setup;
  private transient LastPlan last;

  // What follows travels with the strategy into the tasks that plan groups.

  /** What groups are ordered by. */
  private SortColumn leading;

  /** What to do for a partition. */
  private PartitionUpkeep upkeep;

  /** Whether partitions are taken as a whole. */
  private boolean full;

  private long maxBytes;
  private GroupLayout layout;

  /** Where a plan would be in vain, for a write is under way there. */
  private HashSet<String> busy;

  private TakenGroups taken;

  private LogRanges logs = LogRanges.UNKNOWN;

  private transient SchemaHistory history;

  /** Partitions that need no look by the next plan unless they change: filters may keep others. */
  private transient Set<String> dealtWith = Collections.emptySet();

  public ZOrderClusteringPlanStrategy(
      HoodieTable<?, ?, ?, ?> table,
      HoodieEngineContext engineContext,
      HoodieWriteConfig writeConfig) {
    this(table, engineContext, PlannerConfig.of(table.getMetaClient(), writeConfig));
  }

  private ZOrderClusteringPlanStrategy(
      HoodieTable<?, ?, ?, ?> table, HoodieEngineContext engineContext, PlannerConfig limits) {
    super(table, PlanningEngine.of(engineContext), limits.completed());
    this.limits = limits;
  }

  @Override
  public Option<HoodieClusteringPlan> generateClusteringPlan(
      ClusteringPlanActionExecutor executor, Lazy<List<String>> partitions) {
    return plan(
        executor instanceof PlanObserver ? Option.of((PlanObserver) executor) : Option.empty(),
        () -> {
          Lazy<List<String>> all =
              limits.looksEverywhere(setup.options()) ? Lazy.lazily(this::partitions) : partitions;
          Option<HoodieClusteringPlan> plan = super.generateClusteringPlan(executor, all);
          plan.ifPresent(made -> remember(made, all.get()));
          return plan;
        });
  }

  /** All of them, and not only those where something was written since the last clustering. */
  private List<String> partitions() {
    return HudiCalls.here()
        .partitions(getEngineContext(), getHoodieTable().getMetaClient(), getWriteConfig());
  }

  /** What Hudi before 1.0 calls. */
  public Option<HoodieClusteringPlan> generateClusteringPlan() {
    return generateClusteringPlan(Option.empty());
  }

  /** The same, for somebody who wants to know what is left alone. */
  Option<HoodieClusteringPlan> generateClusteringPlan(Option<PlanObserver> observer) {
    FormatCalls.Planner planner = FormatCalls.here().planner().get();
    return plan(
        observer, () -> planner.plan(getHoodieTable(), getEngineContext(), getWriteConfig(), this));
  }

  private Option<HoodieClusteringPlan> plan(
      Option<PlanObserver> observer, Supplier<Option<HoodieClusteringPlan>> planner) {
    try {
      setup = ClusteringSetup.ofPlanner(getHoodieTable().getMetaClient(), getWriteConfig());
      limits.require();
      prepare(setup.options());
      Option<HoodieClusteringPlan> plan = planner.get();
      List<HoodieClusteringGroup> leftAlone = new ArrayList<>();
      plan.ifPresent(made -> leftAlone.addAll(LeftAlone.takeOff(made)));
      plan.ifPresent(SuitableTable::require);
      PlanLimit limit = new PlanLimit(limits.maxGroups(), maxBytes, last);
      plan.ifPresent(made -> leftAlone.addAll(limit.apply(made)));
      plan.ifPresent(made -> ClusteringSetup.requireReadable(getWriteConfig(), history, made));
      plan.ifPresent(made -> LeftAlone.tell(made, leftAlone));
      observer.ifPresent(told -> told.leftAlone(leftAlone));
      return plan.isPresent() && !plan.get().getInputGroups().isEmpty() ? plan : Option.empty();
    } catch (Exception e) { // Spark's own are checked, and come unannounced
      String refusal = e.getMessage() + ". Nothing was planned.";
      if (getWriteConfig().getProps().containsKey(BATCH_OF_STREAM)) {
        LOG.error(refusal, e);
        return Option.empty();
      }
      if (e instanceof IllegalArgumentException) {
        throw new HoodieClusteringException(refusal, e);
      }
      throw e;
    }
  }

  private void prepare(ZOrderOptions options) {
    ObjectSizes.reckon();
    List<SortColumn> columns = setup.columns().sortColumns();
    leading = columns.get(0);
    long fileBytes = getWriteConfig().getClusteringTargetFileMaxBytes();
    layout = new GroupLayout(options.layout(), fileBytes);
    full = options.mode() == ZOrderOptions.Mode.FULL;
    HoodieTableMetaClient table = getHoodieTable().getMetaClient();
    history = SchemaHistory.of(table);
    maxBytes = full ? Long.MAX_VALUE : options.maxBytesPerPlan();
    last = LastPlan.of(table).before(limits.wantsMore(options));
    upkeep =
        new PartitionUpkeep(
            options.layout(),
            columns,
            fileBytes,
            options.maxBytesPerPlan(),
            options.readThreshold(),
            last,
            history.latest().isPresent());
    busy = new HashSet<>(WriteInFlight.busyPartitions(table, getWriteConfig()));
    taken = TakenGroups.of(getHoodieTable().getHoodieView());
  }

  /**
   * Has a plan tell the next where there is still something to look at: in partitions that a filter
   * keeps out, in those that a write is under way in, which may fail and leave no trace, and where
   * it says itself that something is left. What plans before have left there stays left.
   *
   * @param partitions of which this plan is, those but filtered
   */
  private void remember(HoodieClusteringPlan plan, List<String> partitions) {
    Set<String> missing = new TreeSet<>(partitions);
    missing.removeIf(partition -> dealtWith.contains(partition) && !busy.contains(partition));
    missing.addAll(taken.partitions());
    last.passOn(plan, missing);
    missing.addAll(LeftAlone.leftForLater(plan));
    FormatCalls.here().setUnfinished(plan, new ArrayList<>(missing));
  }

  /**
   * As Hudi has it, but that a table may have fewer partitions than the latest to be skipped, and
   * that one which is chosen twice, or by another spelling of its folder, is one: a plan with a
   * file group twice, or of a partition that the table has by another name, leaves a table that
   * nobody can read. Those that are too old to be among recent days are dealt with. Tasks ask for
   * the listings of the others next, and what their logs hold; where Hudi calls no such method of
   * ours, which is before 1.0, nothing is known of logs.
   */
  @Override
  public Pair<List<String>, List<String>> filterPartitionPaths(
      HoodieWriteConfig config, List<String> chosenOrAll) {
    StoragePath base = new StoragePath(getWriteConfig().getBasePath());
    List<String> partitions =
        chosenOrAll.stream()
            .map(partition -> PlannedPaths.asListed(base, partition))
            .distinct()
            .collect(Collectors.toList());
    boolean recent = config.getClusteringPlanPartitionFilterMode() == RECENT_DAYS;
    Pair<List<String>, List<String>> found =
        recent && config.getSkipPartitionsFromLatestForClustering() >= partitions.size()
            ? Pair.of(new ArrayList<>(), partitions)
            : super.filterPartitionPaths(config, partitions);
    dealtWith = new HashSet<>(recent ? partitions : found.getLeft());
    found.getRight().forEach(dealtWith::remove);
    ServedListings.load(getHoodieTable(), config, found.getLeft());
    logs = full ? LogRanges.UNKNOWN : logs(found.getLeft());
    return Pair.of(found.getLeft(), Collections.emptyList());
  }

  private LogRanges logs(List<String> partitions) {
    return LogRanges.of(
        getHoodieTable(),
        getEngineContext(),
        getWriteConfig(),
        partitions,
        this::isEligible,
        setup.columns().sortColumns(),
        LogRanges.AT_ONCE);
  }

  /**
   * As Hudi has it, which asks of each partition once more for what is taken of the whole table.
   */
  @Override
  protected Stream<FileSlice> getFileSlicesEligibleForClustering(String partition) {
    return getHoodieTable()
        .getSliceView()
        .getLatestFileSlicesStateless(partition)
        .filter(this::isEligible);
  }

  private boolean isEligible(FileSlice slice) {
    return !taken.contains(slice)
        && slice.getBaseFile().map(BaseFile::getFileSize).orElse(0L)
            < getWriteConfig().getClusteringSmallFileLimit();
  }

  /** As {@link #groups(String, List)} has it, and whether that leaves something for later. */
  @Override
  protected Pair<Stream<HoodieClusteringGroup>, Boolean> buildClusteringGroupsForPartition(
      String partitionPath, List<FileSlice> slices) {
    PartitionChoice choice = choice(partitionPath, slices);
    return Pair.of(groups(partitionPath, slices, choice), choice.isPartial());
  }

  /**
   * Takes what is worth it of a partition, mostly as one group, or all as one. Where {@code
   * max.bytes.per.group} is set, in parts that are laid out as one all the same ({@link
   * GroupParts}), in the order of the first sort column's least values, so that what a plan with a
   * limit of groups leaves out lies together. A partition of which a write under way has said that
   * it changes files there is left alone.
   */
  @Override
  public Stream<HoodieClusteringGroup> groups(String partition, List<FileSlice> slices) {
    return groups(partition, slices, choice(partition, slices));
  }

  private Stream<HoodieClusteringGroup> groups(
      String partition, List<FileSlice> slices, PartitionChoice choice) {
    Stream<HoodieClusteringGroup> planned =
        full && !busy.contains(partition)
            ? inParts(slices, layout, choice, Collections.emptyMap())
            : choice.steps().stream().flatMap(step -> ofStep(step, slices, choice));
    List<HoodieClusteringGroup> groups = planned.collect(Collectors.toList());
    SliceView view = getHoodieTable().getSliceView();
    groups.add(LeftAlone.of(partition, view, taken, slices, choice, groups, getWriteConfig()));
    return groups.stream();
  }

  private PartitionChoice choice(String partition, List<FileSlice> slices) {
    if (busy.contains(partition)) {
      return PartitionChoice.all(slices, FileReason.WRITE_UNDER_WAY);
    }
    HoodieStorage storage = getHoodieTable().getStorage();
    SliceSizes sizes = new SliceSizes(getWriteConfig());
    return full
        ? upkeep.all(storage, slices, sizes, logs)
        : upkeep.choose(storage, slices, sizes, logs);
  }

  private Stream<HoodieClusteringGroup> ofStep(
      UpkeepStep step, List<FileSlice> slices, PartitionChoice choice) {
    List<FileSlice> chosen =
        slices.stream()
            .filter(slice -> step.fileIds().contains(slice.getFileId()))
            .collect(Collectors.toList());
    return inParts(chosen, layout.withWeights(step.weights()), choice, step.metrics());
  }

  private Stream<HoodieClusteringGroup> inParts(
      List<FileSlice> slices,
      GroupLayout layout,
      PartitionChoice choice,
      Map<String, Double> metrics) {
    HoodieWriteConfig config = getWriteConfig();
    SliceSizes sizes = new SliceSizes(config);
    long groupBytes = config.getClusteringMaxBytesInGroup();
    boolean divided = sizes.total(slices) > groupBytes;
    List<FileSlice> inOrder =
        divided ? LeastValueOrder.of(getHoodieTable().getStorage(), leading).sort(slices) : slices;
    List<List<FileSlice>> parts = GroupParts.divide(inOrder, sizes, groupBytes);
    Map<String, String> said = new HashMap<>(layout.toMetadata());
    said.putAll(GroupParts.toMetadata(parts));
    List<HoodieClusteringGroup> planned = new ArrayList<>();
    long before = 0;
    for (List<FileSlice> part : parts) {
      // As many files as the whole fills: none for what would be left over of each part.
      long after = before + sizes.total(part);
      planned.add(group(part, files(after) - files(before), said, choice, metrics));
      before = after;
    }
    return planned.stream();
  }

  private HoodieClusteringGroup group(
      List<FileSlice> slices,
      int files,
      Map<String, String> said,
      PartitionChoice choice,
      Map<String, Double> more) {
    SliceSizes sizes = new SliceSizes(getWriteConfig());
    long bytes = sizes.total(slices);
    Map<String, Double> metrics = new HashMap<>(buildMetrics(slices));
    metrics.putAll(more);
    metrics.putAll(choice.metrics(slices, sizes));
    metrics.put(GroupKeys.BYTES, (double) bytes);
    metrics.put(GroupKeys.FILES, (double) files);
    return HoodieClusteringGroup.newBuilder()
        .setSlices(getFileSliceInfo(slices))
        // Hudi wants one of each at least.
        .setNumOutputFileGroups(Math.max(1, files))
        .setMetrics(metrics)
        .setExtraMetadata(said)
        .build();
  }

  private int files(long bytes) {
    return getNumberOfOutputFileGroups(bytes, getWriteConfig().getClusteringTargetFileMaxBytes());
  }

  @Override
  protected Map<String, String> getStrategyParams() {
    return parameters();
  }

  @Override
  public Map<String, String> parameters() {
    Map<String, String> parameters = setup.options().toPlanParameters();
    parameters.put(PlanVersion.KEY, PlanVersion.OURS);
    parameters.putAll(limits.parameters());
    return parameters;
  }
}
