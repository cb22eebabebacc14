package io.hudizorder.hudi.v1_2;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.WrittenTimeline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArchivedPlansTest {

  private static final String TIME = "2026010100000000";

  @TempDir Path folder;
  private WrittenTimeline timeline;

  @BeforeEach
  void makeTable() throws IOException {
    timeline = new WrittenTimeline(folder);
  }

  private void clustering(int time) throws IOException {
    timeline.clustering(TIME + time, Map.of("number", Integer.toString(time)));
  }

  private static List<String> numbers(Stream<HoodieClusteringPlan> plans) {
    return plans
        .map(plan -> plan.getStrategy().getStrategyParams().get("number"))
        .collect(Collectors.toList());
  }

  @Test
  void theLatestComesFirst() throws IOException {
    clustering(1);
    timeline.overwrite(TIME + 2);
    clustering(3);
    timeline.archive();
    clustering(4);
    clustering(5);
    timeline.archive();

    assertThat(numbers(new ArchivedPlans(timeline.now()).newestFirst()))
        .containsExactly("5", "4", "3", "1");
  }

  @Test
  void noMoreIsReadThanIsAskedFor() throws IOException {
    clustering(1);
    timeline.archive();
    clustering(2);
    timeline.archive();
    timeline.damageArchived(TIME + 1);

    assertThat(numbers(new ArchivedPlans(timeline.now()).newestFirst().limit(1)))
        .containsExactly("2");
  }

  /** Of a table that is overwritten every hour, and was never clustered. */
  @Test
  void itIsGivenUpWhereMuchElseCameSince() throws IOException {
    clustering(1);
    timeline.archive();
    timeline.overwriteBeforeUpgrade(TIME + 2);
    timeline.archive();

    assertThat(numbers(new ArchivedPlans(timeline.now(), 1).newestFirst())).isEmpty();
    assertThat(numbers(new ArchivedPlans(timeline.now(), 1 << 20).newestFirst()))
        .containsExactly("1");
  }

  @Test
  void whatIsNoPlanAndWhatIsDamagedArePassedOver() throws IOException {
    clustering(1);
    timeline.pending(TIME + 2, new byte[] {'O', 'b', 'j', 1, 2});
    timeline.overwriteBeforeUpgrade(TIME + 3);
    timeline.archive();

    assertThat(numbers(new ArchivedPlans(timeline.now()).newestFirst())).containsExactly("1");
  }
}
