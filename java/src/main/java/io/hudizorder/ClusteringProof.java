package io.hudizorder;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.plan.PendingPlan;
import io.hudizorder.plan.PlannedPaths;
import io.hudizorder.read.GroupInputs;
import io.hudizorder.spark.expression.RowFingerprint;
import io.hudizorder.table.TableSchema;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.BaseHoodieClient;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.table.HoodieSparkTable;
import org.apache.hudi.table.HoodieTable;

/**
 * The rows that a clustering replaced and those that it wrote, whichever strategy executed it. Both
 * sides are read as queries read them, by Hudi's own reader.
 */
public final class ClusteringProof {

  private final RowFingerprint replaced;
  private final RowFingerprint written;
  private final List<String> cleaned;
  private final List<String> lost;

  private ClusteringProof(
      RowFingerprint replaced, RowFingerprint written, List<String> cleaned, List<String> lost) {
    this.replaced = replaced;
    this.written = written;
    this.cleaned = cleaned;
    this.lost = lost;
  }

  /**
   * Proves a clustering that is about to be committed.
   *
   * @param stats of all files that it has written
   */
  static ClusteringProof of(
      HoodieTable<?, ?, ?, ?> table,
      HoodieEngineContext engine,
      HoodieWriteConfig config,
      HoodieClusteringPlan plan,
      Collection<HoodieWriteStat> stats,
      String instant) {
    ZOrderClusteringExecutionStrategy<?> strategy =
        new ZOrderClusteringExecutionStrategy<>(table, engine, config);
    GroupInputs inputs =
        strategy.inputs(TableSchema.rowSchema(table.getMetaClient(), config), instant);
    return new ClusteringProof(
        fingerprint(inputs, replaced(strategy, plan, config.getBasePath())),
        fingerprint(inputs, written(config, stats, instant)),
        List.of(),
        List.of());
  }

  /**
   * Proves a clustering that was committed, for callers from Python.
   *
   * @throws HoodieClusteringException when no completed clustering of that instant is on the
   *     timeline
   */
  public static ClusteringProof ofCommitted(BaseHoodieClient client, String instant)
      throws IOException {
    HoodieWriteConfig config = client.getConfig();
    HoodieEngineContext engine = client.getEngineContext();
    HoodieTable<?, ?, ?, ?> table = HoodieSparkTable.create(config, engine);
    HoodieTableMetaClient metaClient = table.getMetaClient();
    HoodieInstant commit =
        PendingPlan.committed(metaClient, instant).orElseThrow(() -> notThere(instant));
    HoodieClusteringPlan plan =
        ClusteringUtils.getClusteringPlan(metaClient, commit)
            .map(Pair::getRight)
            .orElseThrow(() -> notThere(instant));
    List<HoodieWriteStat> stats = FormatCalls.here().metadata(metaClient, commit).getWriteStats();
    MissingFiles missing =
        MissingFiles.of(
            metaClient,
            instant,
            replaced(
                new ZOrderClusteringExecutionStrategy<>(table, engine, config),
                plan,
                config.getBasePath()),
            written(config, stats, instant));
    return missing.isEmpty()
        ? of(table, engine, config, plan, stats, instant)
        : new ClusteringProof(
            RowFingerprint.EMPTY, RowFingerprint.EMPTY, missing.cleaned(), missing.lost());
  }

  private static List<FileSlice> replaced(
      ZOrderClusteringExecutionStrategy<?> strategy, HoodieClusteringPlan plan, String basePath) {
    return PlannedPaths.within(basePath, plan).getInputGroups().stream()
        .flatMap(group -> strategy.slices(group).stream())
        .collect(Collectors.toList());
  }

  private static List<FileSlice> written(
      HoodieWriteConfig config, Collection<HoodieWriteStat> stats, String instant) {
    return stats.stream()
        .map(file -> slice(config.getBasePath(), file, instant))
        .collect(Collectors.toList());
  }

  private static HoodieClusteringException notThere(String instant) {
    return new HoodieClusteringException(
        "Cannot verify clustering " + instant + ": the timeline has no completed one of that name");
  }

  private static FileSlice slice(String basePath, HoodieWriteStat file, String instant) {
    FileSlice slice = new FileSlice(file.getPartitionPath(), instant, file.getFileId());
    StoragePath folder = PlannedPaths.folder(new StoragePath(basePath), file.getPartitionPath());
    String name = new StoragePath(file.getPath()).getName();
    slice.setBaseFile(new HoodieBaseFile(new StoragePath(folder, name).toString()));
    return slice;
  }

  private static RowFingerprint fingerprint(GroupInputs inputs, List<FileSlice> slices) {
    return slices.isEmpty() ? RowFingerprint.EMPTY : inputs.openByHudi(slices).fingerprint();
  }

  /** Files without which nothing can be proved, and which the cleaner was free to remove. */
  public List<String> cleaned() {
    return cleaned;
  }

  /** Files that it wrote and that are gone, although nothing has taken their place since. */
  public List<String> lost() {
    return lost;
  }

  /** Whether the same rows were written as were replaced, each as often, in any order. */
  public boolean holds() {
    return cleaned.isEmpty() && lost.isEmpty() && replaced.equals(written);
  }

  public long rowsReplaced() {
    return replaced.rows();
  }

  public long rowsWritten() {
    return written.rows();
  }

  @Override
  public String toString() {
    return "it read " + replaced + " and wrote " + written;
  }
}
