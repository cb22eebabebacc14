package io.hudizorder.write;

import io.hudizorder.spark.RunningTasks;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.spark.SparkContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups of a clustering under way. When one fails, Hudi cancels the others by name only: they
 * would go on writing files of an instant that a retry rolls back and executes again. Spark in turn
 * kills tasks without waiting for them, those too that another attempt has overtaken: they would
 * finish their files after the commit or its rollback.
 */
public final class RunningGroups {

  private static final Logger LOG = LoggerFactory.getLogger(RunningGroups.class);
  private static final long MILLIS_BETWEEN_LOOKS = 50;
  private static final Duration UNTOLD = Duration.ofSeconds(30);

  private final SparkContext spark;
  private final String tag;
  private final Duration untold;
  private final AtomicInteger groups = new AtomicInteger();
  private volatile boolean stopped;

  public RunningGroups(SparkContext spark, String instant) {
    this(spark, instant, UNTOLD);
  }

  /**
   * @param untold for how long tasks are waited for without a word
   */
  RunningGroups(SparkContext spark, String instant, Duration untold) {
    this.spark = spark;
    this.untold = untold;
    // Two tables may have the same instant.
    this.tag = "hudi-zorder-" + instant + "-" + UUID.randomUUID();
  }

  /**
   * Runs a group on the calling thread.
   *
   * @throws CancellationException when the groups were stopped before
   */
  public <R> R run(Supplier<R> group) {
    groups.incrementAndGet();
    spark.addJobTag(tag);
    try {
      if (stopped) {
        throw new CancellationException("another group of this clustering has failed");
      }
      return group.get();
    } finally {
      spark.removeJobTag(tag);
      groups.decrementAndGet();
    }
  }

  /**
   * Cancels what runs, lets nothing else begin, and returns when no group and no task of theirs
   * runs any more, however long a task takes to die; of one that takes long it tells.
   */
  public void stop() {
    stopped = true;
    boolean interrupted = false;
    boolean told = false;
    long began = System.nanoTime();
    while (groups.get() > 0 || RunningTasks.count(spark, tag) > 0) {
      if (!told && System.nanoTime() - began >= untold.toNanos()) {
        told = true;
        tell();
      }
      if (!spark.isStopped()) {
        // Again and again: a group may be about to submit its next job.
        spark.cancelJobsWithTag(tag);
      }
      try {
        Thread.sleep(MILLIS_BETWEEN_LOOKS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void tell() {
    LOG.warn(
        "A clustering waits for {} of its tasks and {} of its groups, which were cancelled and do"
            + " not end: they may still write files. On a cluster Spark ends the executors of such"
            + " tasks where 'spark.task.reaper.enabled' is true and 'spark.task.reaper.killTimeout'"
            + " is set",
        RunningTasks.count(spark, tag),
        groups.get());
  }
}
