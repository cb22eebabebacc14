package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a clustering costs does not grow in steps with the files that it takes, or passes over. */
@Timeout(300)
class ManyFilesTest extends HudiTables {

  @Test
  void aGroupOfManyFilesTakesNoMoreJobsThanOneOfFew() {
    assertThat(jobs(40)).isEqualTo(jobs(4));
  }

  @Test
  void aPlanLooksAtManyPartitionsInFewTasks() throws Exception {
    HudiTable table = table(100, 20);
    AtomicInteger mostTasks = new AtomicInteger();
    SparkListener counter =
        new SparkListener() {
          @Override
          public void onStageSubmitted(SparkListenerStageSubmitted stage) {
            mostTasks.accumulateAndGet(stage.stageInfo().numTasks(), Math::max);
          }
        };
    listen(counter, () -> table.schedule("a"));
    assertThat(mostTasks).hasValue(8);
  }

  /** How many jobs a clustering of so many files is. */
  private int jobs(int files) {
    HudiTable table =
        tableIn(folder.resolve("of" + files))
            .with("hoodie.bulkinsert.sort.mode", "NONE")
            .with("hoodie.clustering.plan.strategy.target.file.max.bytes", "5000");
    table.write(
        spark.range(0, 600, 1, files).selectExpr("id", "hash(id) as a", "0 as p"), "bulk_insert");
    assertThat(table.read().inputFiles()).hasSize(files);
    String instant = table.schedule("a");
    int before = spark.sparkContext().dagScheduler().numTotalJobs();
    table.execute(instant, Map.of("hoodie.clustering.max.parallelism", "1"));
    int after = spark.sparkContext().dagScheduler().numTotalJobs();
    // Of one file a group would be written without a query.
    assertThat(table.filesOf(instant)).hasSizeGreaterThan(1);
    return after - before;
  }
}
