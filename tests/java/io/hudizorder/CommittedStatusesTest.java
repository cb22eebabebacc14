package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.option.OwnOptions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.client.WriteStatus;
import org.apache.spark.api.java.JavaRDD;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What Hudi is given to commit is what was written and verified, and cannot be written again. */
@Timeout(300)
class CommittedStatusesTest extends HudiTables {

  @Test
  void aLostBlockDoesNotWriteAgain() {
    HudiTable table = table(600, 2);
    String instant = table.schedule("a");
    try (SparkRDDWriteClient<?> client = table.client(Map.of())) {
      JavaRDD<WriteStatus> statuses = client.cluster(instant, false).getWriteStatuses();
      Set<String> written = table.filesOf(instant);
      loseBlocks();

      assertThat(names(statuses)).isEqualTo(written);
      assertThat(table.filesOf(instant)).isEqualTo(written);
    }
  }

  @Test
  void aLostBlockThatNamesRecordsFailsTheCommit() {
    // Such an index wants to know of every record, so that the statuses stay where they are.
    HudiTable table = table(600, 2).with("hoodie.index.type", "INMEMORY");
    String instant = table.schedule("a");
    try (SparkRDDWriteClient<?> client = table.client(Map.of())) {
      JavaRDD<WriteStatus> statuses = client.cluster(instant, false).getWriteStatuses();
      Set<String> written = table.filesOf(instant);
      assertThat(names(statuses)).isEqualTo(written);
      loseBlocks();

      assertThatThrownBy(() -> names(statuses)).hasMessageContaining("Checkpoint block");
      assertThat(table.filesOf(instant)).isEqualTo(written);
    }
  }

  @Test
  void groupsShareOneSessionAndOneTaskForTheirStatuses() {
    int groups = 6;
    HudiTable table = table(600, groups);
    String instant = table.schedule("a");
    int listeners = spark.sparkContext().listenerBus().listeners().size();
    Map<String, String> content = Map.of(OwnOptions.VERIFY.key(), "content");
    try (SparkRDDWriteClient<?> client = table.client(content)) {
      JavaRDD<WriteStatus> statuses = client.cluster(instant, false).getWriteStatuses();

      assertThat(names(statuses)).hasSize(groups);
      assertThat(statuses.getNumPartitions()).isEqualTo(1);
      // Spark keeps one for each session.
      assertThat(spark.sparkContext().listenerBus().listeners().size() - listeners)
          .isLessThanOrEqualTo(1);
    }
  }

  private static void loseBlocks() {
    scala.collection.JavaConverters.asJavaCollection(
            spark.sparkContext().getPersistentRDDs().values())
        .forEach(
            rdd -> spark.sparkContext().env().blockManager().master().removeRdd(rdd.id(), true));
  }

  private static Set<String> names(JavaRDD<WriteStatus> statuses) {
    List<String> paths = statuses.map(status -> status.getStat().getPath()).collect();
    assertThat(paths).doesNotHaveDuplicates();
    return paths.stream()
        .map(path -> path.substring(path.lastIndexOf('/') + 1))
        .collect(Collectors.toSet());
  }
}
