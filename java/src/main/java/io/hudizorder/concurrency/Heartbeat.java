package io.hudizorder.concurrency;

import io.hudizorder.hudi.Folders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hudi.client.heartbeat.HeartbeatUtils;
import org.apache.hudi.common.heartbeat.HoodieHeartbeatUtils;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.hadoop.fs.HadoopFSUtils;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;

/**
 * Shows that a plan is being executed, as Hudi's own heartbeats do, by the time of the same file;
 * what the file holds besides is which process it is, so that its death is known at once on the
 * same machine.
 */
final class Heartbeat {

  /** For how many intervals it beats after a commit has begun of which nobody tells the end. */
  private static final int COMMIT_BEATS = 10;

  /** How often, at least, it is looked whether Hudi still is about to commit. */
  private static final long OF_COMMIT_MS = 5_000;

  /** How often Hudi's writers beat by default. One that beats more seldom, others take for dead. */
  static final long OF_WRITERS_MS = 60_000;

  private final HoodieStorage storage;
  private final String basePath;
  private final String instant;
  private final StoragePath file;
  private final long intervalMs;
  private final long aliveMs;
  private Timer timer;

  /** Whether the timer is to go on, asked at each beat. */
  private BooleanSupplier wanted;

  /** What to do when it is not. */
  private Runnable otherwise;

  Heartbeat(HoodieStorage storage, HoodieWriteConfig config, String instant) {
    this.storage = storage;
    this.basePath = config.getBasePath();
    this.instant = instant;
    this.file = Folders.heartbeat(new StoragePath(basePath), instant);
    long interval = config.getHoodieClientHeartbeatIntervalInMs();
    this.intervalMs = cappedMs(interval);
    this.aliveMs = toleratedMs(config, interval);
  }

  /** For how long a beat counts: until the first is late that may not be missed any more. */
  static long toleratedMs(HoodieWriteConfig config, long intervalMs) {
    return intervalMs * (config.getHoodieClientHeartbeatTolerableMisses() + 1);
  }

  /** How often it beats where so often is asked for: others may not know of an interval so long. */
  static long cappedMs(long asked) {
    return Math.min(asked, OF_WRITERS_MS);
  }

  /** Whether somebody has shown of late that it executes the plan, and is not known to be dead. */
  boolean isShown() {
    try {
      return storage.exists(file)
          && !HoodieHeartbeatUtils.isHeartbeatExpired(instant, aliveMs, storage, basePath)
          && !ProcessIdentity.isDead(storage, file);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the heartbeat of '" + instant + "'", e);
    }
  }

  /** Whether Hudi's own client shows it, which names no process. */
  boolean isShownByHudi() {
    return isShown() && !ProcessIdentity.isSigned(storage, file);
  }

  /**
   * Shows it from now on, until it is stopped, in place of an executor that is dead. No store takes
   * a file away only if it is the one that was read: of two processes that do so within moments the
   * sign of one is {@link #isLost} later.
   *
   * @return false if somebody else shows it
   */
  synchronized boolean start() {
    if (isShown()) {
      return false;
    }
    try {
      storage.deleteFile(file);
      if (!ProcessIdentity.create(storage, file) || isLost()) {
        return false;
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot write the heartbeat of '" + instant + "'", e);
    }
    goOn(() -> true, this::stop, intervalMs);
    return true;
  }

  /** Whether another process shows it, in place of this one. */
  boolean isLost() {
    return ProcessIdentity.isOfAnother(storage, file);
  }

  /**
   * Beats at once, and on for as long as this thread commits, or may; abandoned once the thread has
   * left Hudi's method, unless the end is told before.
   */
  void commitBegins() {
    Thread committer = Thread.currentThread();
    new Beat().run();
    if (isCommitting(committer)) {
      goOn(() -> isCommitting(committer), this::abandon, Math.min(intervalMs, OF_COMMIT_MS));
    } else {
      AtomicInteger left = new AtomicInteger(COMMIT_BEATS);
      goOn(() -> left.getAndDecrement() > 0, this::stop, intervalMs);
    }
  }

  /** Beats at once, and on. */
  void commitEnded() {
    goOn(() -> true, this::stop, intervalMs);
    new Beat().run();
  }

  private synchronized void goOn(BooleanSupplier wanted, Runnable otherwise, long everyMs) {
    stop();
    this.wanted = wanted;
    this.otherwise = otherwise;
    timer = new Timer("heartbeat of " + instant, true);
    timer.scheduleAtFixedRate(new Beat(), everyMs, everyMs);
  }

  /** Beats no more; the last beat counts for as long as others wait for the next. */
  synchronized void stop() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** Leaves its sign, as of somebody who is dead: what there was to do is not done. */
  void abandon() {
    stop();
    if (!isLost()) {
      silence(storage, file);
    }
  }

  /** Leaves a sign as of somebody who is dead where no execution of this process shows one. */
  static void abandon(HoodieStorage storage, StoragePath base, String instant) throws IOException {
    StoragePath file = Folders.heartbeat(base, instant);
    ProcessIdentity.create(storage, file);
    silence(storage, file);
  }

  private static void silence(HoodieStorage storage, StoragePath file) {
    try {
      ((FileSystem) storage.getFileSystem())
          .setTimes(HadoopFSUtils.convertToHadoopPath(file), 0, -1);
    } catch (IOException e) {
      // Not every store can: it is taken for dead when it has been silent for long.
    }
  }

  /** Takes its sign away; where that fails, who comes next finds it as of somebody dead. */
  void remove() {
    stop();
    boolean removed = false;
    try {
      removed = isLost() || HeartbeatUtils.deleteHeartbeatFile(storage, basePath, instant);
    } finally {
      if (!removed) {
        abandon();
      }
    }
  }

  StoragePath file() {
    return file;
  }

  /** Whether a thread is still in the method of Hudi's by which a plan is executed. */
  private static boolean isCommitting(Thread committer) {
    return Arrays.stream(committer.getStackTrace())
        .anyMatch(
            call ->
                call.getMethodName().equals("cluster")
                    && call.getClassName().endsWith("TableServiceClient"));
  }

  private final class Beat extends TimerTask {

    @Override
    public void run() {
      synchronized (Heartbeat.this) {
        if (timer == null) {
          return; // stopped while this one waited
        }
        try {
          if (!storage.exists(file) || isLost()) {
            stop(); // somebody knows that the execution has ended, or executes the plan
          } else if (wanted.getAsBoolean()) {
            ProcessIdentity.sign(storage, file);
          } else {
            otherwise.run();
          }
        } catch (IOException | RuntimeException missed) {
          // Others allow for it; the next one may succeed, but not of a timer that has thrown.
        }
      }
    }
  }
}
