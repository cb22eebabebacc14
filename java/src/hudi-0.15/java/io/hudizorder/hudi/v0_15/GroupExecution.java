package io.hudizorder.hudi.v0_15;

import io.hudizorder.hudi.GroupWriter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.util.CustomizedThreadFactory;
import org.apache.hudi.common.util.FutureUtils;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.data.HoodieJavaRDD;
import org.apache.hudi.table.action.HoodieWriteMetadata;
import org.apache.spark.api.java.JavaRDD;

/**
 * A job for each group, several at a time, as Hudi has it: its own strategy of this name keeps to
 * itself how it runs a group, and reads each before anybody is asked.
 */
final class GroupExecution {

  private static final String ROW_WRITER = "hoodie.datasource.write.row.writer.enable";

  private GroupExecution() {}

  /**
   * Refuses what Hudi would read records of Avro for.
   *
   * @throws IllegalArgumentException with why it would
   */
  static void requireRows(HoodieWriteConfig config) {
    if (!config.getBooleanOrDefault(ROW_WRITER, true)) {
      throw new IllegalArgumentException(
          "Cannot cluster: Hudi 0.15 would read records of Avro, of which no layout is made, as '"
              + ROW_WRITER
              + "' is 'false'; set it to 'true', or cluster by Hudi 1.1");
    }
  }

  static <T> HoodieWriteMetadata<HoodieData<WriteStatus>> run(
      HoodieSparkEngineContext engine,
      HoodieWriteConfig config,
      GroupWriter<T> writer,
      HoodieClusteringPlan plan,
      String instant) {
    boolean preserveMetadata = !Boolean.FALSE.equals(plan.getPreserveHoodieMetadata());
    int most = Math.min(plan.getInputGroups().size(), config.getClusteringMaxParallelism());
    ExecutorService threads =
        Executors.newFixedThreadPool(
            most, new CustomizedThreadFactory("clustering-job-group", true));
    try {
      List<CompletableFuture<HoodieData<WriteStatus>>> groups =
          plan.getInputGroups().stream()
              .map(
                  group ->
                      CompletableFuture.supplyAsync(
                          () -> writer.writeRows(group, preserveMetadata, instant), threads))
              .collect(Collectors.toList());
      HoodieWriteMetadata<HoodieData<WriteStatus>> metadata = new HoodieWriteMetadata<>();
      metadata.setWriteStatuses(union(engine, FutureUtils.allOf(groups).join()));
      return metadata;
    } finally {
      threads.shutdown();
    }
  }

  @SuppressWarnings("unchecked")
  private static HoodieData<WriteStatus> union(
      HoodieSparkEngineContext engine, List<HoodieData<WriteStatus>> groups) {
    JavaRDD<WriteStatus>[] statuses =
        groups.stream().map(HoodieJavaRDD::getJavaRDD).toArray(JavaRDD[]::new);
    return HoodieJavaRDD.of(engine.jsc().union(statuses));
  }
}
