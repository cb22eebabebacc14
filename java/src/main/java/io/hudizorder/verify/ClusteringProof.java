package io.hudizorder.verify;

import io.hudizorder.plan.PlannedPaths;
import io.hudizorder.plan.slice.PlannedSlice;
import io.hudizorder.read.GroupInputs;
import io.hudizorder.read.WrittenSlices;
import io.hudizorder.spark.expression.RowFingerprint;
import io.hudizorder.table.TableSchema;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.table.HoodieTable;

/**
 * The rows that a clustering replaced and those that it wrote, whichever strategy executed it. Both
 * sides are read as queries read them, by Hudi's own reader.
 */
public final class ClusteringProof {

  private final RowFingerprint replaced;
  private final RowFingerprint written;

  private ClusteringProof(RowFingerprint replaced, RowFingerprint written) {
    this.replaced = replaced;
    this.written = written;
  }

  /**
   * Reads both sides of a clustering that is committed, or about to be.
   *
   * @param stats of all files that it has written
   */
  public static ClusteringProof of(
      HoodieTable<?, ?, ?, ?> table,
      HoodieEngineContext engine,
      HoodieWriteConfig config,
      HoodieClusteringPlan plan,
      Collection<HoodieWriteStat> stats,
      String instant) {
    HoodieTableMetaClient metaClient = table.getMetaClient();
    HoodieWriteConfig reading = TableSchema.config(metaClient, config);
    GroupInputs inputs =
        new GroupInputs(
            (HoodieSparkEngineContext) engine,
            metaClient,
            reading,
            TableSchema.rowSchema(reading),
            instant);
    return new ClusteringProof(
        fingerprint(inputs, replaced(plan, config.getBasePath())),
        fingerprint(inputs, WrittenSlices.of(config.getBasePath(), stats, instant)));
  }

  /** The slices that a plan names, where the table is now. */
  static List<FileSlice> replaced(HoodieClusteringPlan plan, String basePath) {
    return PlannedSlice.ofPlan(basePath, PlannedPaths.within(basePath, plan))
        .collect(Collectors.toList());
  }

  private static RowFingerprint fingerprint(GroupInputs inputs, List<FileSlice> slices) {
    return slices.isEmpty() ? RowFingerprint.EMPTY : inputs.openByHudi(slices).fingerprint();
  }

  /** Whether the same rows were written as were replaced, each as often, in any order. */
  public boolean holds() {
    return replaced.equals(written);
  }

  long rowsReplaced() {
    return replaced.rows();
  }

  long rowsWritten() {
    return written.rows();
  }

  @Override
  public String toString() {
    return "it read " + replaced + " and wrote " + written;
  }
}
