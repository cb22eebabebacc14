package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RunningGroupsTest {

  private static final CountDownLatch STARTED = new CountDownLatch(1);

  private static JavaSparkContext spark;

  @BeforeAll
  static void startSpark() {
    spark = JavaSparkContext.fromSparkContext(LocalSpark.builder().getOrCreate().sparkContext());
  }

  @AfterAll
  static void stopSpark() {
    spark.stop();
  }

  @Test
  @Timeout(60)
  void stoppingCancelsTheJobsOfAllGroupsAndWaitsForTheirEnd() throws Exception {
    RunningGroups groups = new RunningGroups(spark.sc(), "20261122000000000");
    CompletableFuture<Long> group =
        CompletableFuture.supplyAsync(() -> groups.run(RunningGroupsTest::sleepLong));
    assertThat(STARTED.await(30, TimeUnit.SECONDS)).isTrue();

    groups.stop();

    assertThatThrownBy(() -> group.get(10, TimeUnit.SECONDS)).hasMessageContaining("cancelled");
    // What Spark tells of its jobs lags behind them; this one would sleep for minutes.
    for (int i = 0; i < 100 && spark.statusTracker().getActiveJobIds().length > 0; i++) {
      Thread.sleep(50);
    }
    assertThat(spark.statusTracker().getActiveJobIds()).isEmpty();
    assertThatThrownBy(() -> groups.run(() -> "late")).isInstanceOf(CancellationException.class);
  }

  @Test
  void stoppingAfterAllGroupsHaveEndedReturnsAtOnce() {
    RunningGroups groups = new RunningGroups(spark.sc(), "20261122000000001");
    assertThat(groups.run(() -> "done")).isEqualTo("done");
    assertThatThrownBy(
            () ->
                groups.run(
                    () -> {
                      throw new IllegalStateException("failed");
                    }))
        .hasMessage("failed");

    groups.stop();
  }

  private static long sleepLong() {
    return spark
        .parallelize(List.of(1))
        .map(
            one -> {
              STARTED.countDown();
              Thread.sleep(300_000);
              return one;
            })
        .count();
  }
}
