package io.hudizorder.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.LocalContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RunningGroupsTest extends LocalContext {

  private static final CountDownLatch STARTED = new CountDownLatch(1);
  private static final CountDownLatch DEAF = new CountDownLatch(1);
  private static final CountDownLatch LET_GO = new CountDownLatch(1);

  @Test
  @Timeout(60)
  void stoppingCancelsTheJobsOfAllGroupsAndWaitsForTheirEnd() throws Exception {
    RunningGroups groups = new RunningGroups(spark.sc(), "20261122000000000");
    CompletableFuture<Long> group =
        CompletableFuture.supplyAsync(() -> groups.run(RunningGroupsTest::sleepUntilKilled));
    assertThat(STARTED.await(30, TimeUnit.SECONDS)).isTrue();

    groups.stop();

    assertThatThrownBy(() -> group.get(10, TimeUnit.SECONDS)).hasMessageContaining("cancelled");
    // What Spark tells of its jobs lags behind them; this one ends when it is killed.
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

  @Test
  @Timeout(60)
  void stoppingAfterSuccessWaitsForATaskThatNobodyWaitsForAnyMore() throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    Appender appender = appender(told);
    Logger logger = (Logger) LogManager.getLogger(RunningGroups.class);
    logger.addAppender(appender);
    RunningGroups groups = new RunningGroups(spark.sc(), "20261122000000002", Duration.ZERO);
    AtomicBoolean stopped = new AtomicBoolean();
    // As Spark leaves the slower of two attempts behind, whose job has ended.
    groups.run(
        () -> spark.parallelize(List.of(1)).map(RunningGroupsTest::deafUntilLetGo).countAsync());
    assertThat(DEAF.await(30, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> stop =
        CompletableFuture.runAsync(groups::stop).thenRun(() -> stopped.set(true));

    Thread.sleep(500);

    assertThat(stopped).isFalse();
    LET_GO.countDown();
    stop.get(10, TimeUnit.SECONDS);
    logger.removeAppender(appender);
    assertThat(told).singleElement().asString().startsWith("A clustering waits for 1 of its tasks");
  }

  private static Appender appender(List<String> told) {
    Appender appender =
        new AbstractAppender("told", null, null, true, Property.EMPTY_ARRAY) {
          @Override
          public void append(LogEvent event) {
            told.add(event.getMessage().getFormattedMessage());
          }
        };
    appender.start();
    return appender;
  }

  private static int deafUntilLetGo(int one) {
    DEAF.countDown();
    while (LET_GO.getCount() > 0) {
      try {
        LET_GO.await();
      } catch (InterruptedException deaf) {
        continue;
      }
    }
    return one;
  }

  private static long sleepUntilKilled() {
    return spark
        .parallelize(List.of(1))
        .<Integer>map(
            one -> {
              STARTED.countDown();
              while (!TaskContext.get().isInterrupted()) {
                Thread.sleep(20);
              }
              throw new TaskKilledException("noticed");
            })
        .count();
  }
}
