package io.hudizorder;

import java.util.concurrent.CancellationException;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.spark.SparkContext;

/**
 * The groups of a clustering under way. When one fails, Hudi cancels the others by name only: they
 * would go on writing files of an instant that a retry rolls back and executes again.
 */
final class RunningGroups {

  private final SparkContext spark;
  private final String tag;
  private final Phaser groups = new Phaser(1);
  private volatile boolean stopped;

  RunningGroups(SparkContext spark, String instant) {
    this.spark = spark;
    this.tag = "hudi-zorder-" + instant;
  }

  /**
   * Runs a group on the calling thread.
   *
   * @throws CancellationException when the groups were stopped before
   */
  <R> R run(Supplier<R> group) {
    groups.register();
    spark.addJobTag(tag);
    try {
      if (stopped) {
        throw new CancellationException("another group of this clustering has failed");
      }
      return group.get();
    } finally {
      spark.removeJobTag(tag);
      groups.arriveAndDeregister();
    }
  }

  /** Cancels what runs, lets nothing else begin, and returns when no group runs any more. */
  void stop() {
    stopped = true;
    int phase = groups.arriveAndDeregister();
    boolean interrupted = false;
    while (!groups.isTerminated()) {
      // Again and again: a group may be about to submit its next job.
      spark.cancelJobsWithTag(tag);
      try {
        groups.awaitAdvanceInterruptibly(phase, 100, TimeUnit.MILLISECONDS);
      } catch (TimeoutException stillRunning) {
        continue;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
