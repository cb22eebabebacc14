package io.hudizorder;

import io.hudizorder.spark.RowFingerprint;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.storage.StoragePath;
import org.apache.spark.sql.SparkSession;

/** Writes groups out, once, and proves before Hudi commits that their rows are the rows read. */
final class WrittenGroups {

  private final HoodieSparkEngineContext engine;
  private final HoodieWriteConfig config;
  private final ClusteringSetup setup;
  private final ClusteringReport report;
  private final String instant;

  WrittenGroups(
      HoodieSparkEngineContext engine,
      HoodieWriteConfig config,
      ClusteringSetup setup,
      ClusteringReport report,
      String instant) {
    this.engine = engine;
    this.config = config;
    this.setup = setup;
    this.report = report;
    this.instant = instant;
  }

  /**
   * Runs the write of one group and checks it as {@code verify} asks.
   *
   * @param statuses the lazy write; persisted, since computing it twice would write the files twice
   * @param rowsRead how many rows went in, asked after the write
   * @throws HoodieClusteringException when rows failed, were lost or were changed
   */
  HoodieData<WriteStatus> settle(
      GroupLayout layout, HoodieData<WriteStatus> statuses, LongSupplier rowsRead) {
    statuses.persist(
        config.getString(HoodieWriteConfig.WRITE_STATUS_STORAGE_LEVEL_VALUE),
        engine,
        HoodieData.HoodieDataCacheKey.of(config.getBasePath(), instant));
    List<HoodieWriteStat> stats;
    try {
      stats =
          report.time("sort and write", () -> statuses.map(WriteStatus::getStat).collectAsList());
    } finally {
      layout.close();
    }
    ZOrderOptions.Verify verify = setup.options().verify();
    if (verify != ZOrderOptions.Verify.NONE) {
      report.time("verify", () -> verifyCount(layout, stats, rowsRead.getAsLong()));
    }
    if (verify == ZOrderOptions.Verify.CONTENT) {
      report.time("verify", () -> verifyContent(layout, stats));
    }
    report.written();
    return statuses;
  }

  private Void verifyCount(GroupLayout layout, List<HoodieWriteStat> stats, long read) {
    long failed = stats.stream().mapToLong(HoodieWriteStat::getTotalWriteErrors).sum();
    // The row path counts rows that failed among those written, the record path does not.
    if (failed > 0) {
      throw refused(layout, String.format("%,d of %,d rows could not be written", failed, read));
    }
    long written = stats.stream().mapToLong(HoodieWriteStat::getNumWrites).sum();
    if (written != read) {
      throw refused(
          layout, String.format("%,d rows were read and %,d were written", read, written));
    }
    return null;
  }

  private Void verifyContent(GroupLayout layout, List<HoodieWriteStat> stats) {
    List<String> paths =
        stats.stream()
            .map(stat -> new StoragePath(config.getBasePath(), stat.getPath()).toString())
            .collect(Collectors.toList());
    SparkSession session = VectorisedInput.vectorising(engine.getSqlContext().sparkSession());
    GroupInput output = new VectorisedInput(session, paths, setup.sparkSchema(), 0);
    RowFingerprint before = layout.input().fingerprint();
    RowFingerprint after = paths.isEmpty() ? RowFingerprint.EMPTY : output.fingerprint();
    if (!before.equals(after)) {
      throw refused(layout, "read " + before + " and wrote " + after);
    }
    return null;
  }

  private HoodieClusteringException refused(GroupLayout layout, String difference) {
    return new HoodieClusteringException(
        String.format(
            "Cannot commit clustering %s: in a group of partition '%s' %s. The table is as before;"
                + " the next clustering rolls this attempt back. Please report this with the log",
            instant, layout.partitionPath(), difference));
  }
}
