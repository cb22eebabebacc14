package io.hudizorder.concurrency;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Timer;
import java.util.TimerTask;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hudi.client.heartbeat.HeartbeatUtils;
import org.apache.hudi.common.heartbeat.HoodieHeartbeatUtils;
import org.apache.hudi.common.table.HoodieTableMetaClient;
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

  /** How many beats are left. */
  private int beats;

  /** That commits, or did. */
  private Thread committer;

  /** What to do when it does no more. */
  private Runnable unmade = this::stop;

  Heartbeat(HoodieStorage storage, HoodieWriteConfig config, String instant) {
    this.storage = storage;
    this.basePath = config.getBasePath();
    this.instant = instant;
    this.file = file(basePath, instant);
    long interval = config.getHoodieClientHeartbeatIntervalInMs();
    this.intervalMs = intervalMs(interval);
    this.aliveMs = aliveMs(config, interval);
  }

  /** For how long a beat counts: until the first is late that may not be missed any more. */
  static long aliveMs(HoodieWriteConfig config, long intervalMs) {
    return intervalMs * (config.getHoodieClientHeartbeatTolerableMisses() + 1);
  }

  /** How often it beats where so often is asked for: others may not know of an interval so long. */
  static long intervalMs(long asked) {
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
    goOn(Integer.MAX_VALUE, intervalMs);
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
    committer = Thread.currentThread();
    boolean isSeen = isCommitting();
    unmade = isSeen ? this::abandon : this::stop;
    new Beat().run();
    goOn(isSeen ? 0 : COMMIT_BEATS, isSeen ? Math.min(intervalMs, OF_COMMIT_MS) : intervalMs);
  }

  /** Beats at once, and on. */
  void commitEnded() {
    goOn(Integer.MAX_VALUE, intervalMs);
    new Beat().run();
  }

  private synchronized void goOn(int most, long everyMs) {
    stop();
    beats = most;
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
  static void abandon(HoodieStorage storage, String basePath, String instant) throws IOException {
    StoragePath file = file(basePath, instant);
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

  private static StoragePath file(String basePath, String instant) {
    return new StoragePath(HoodieTableMetaClient.getHeartbeatFolderPath(basePath), instant);
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

  /** Whether the thread is still in the method of Hudi's by which a plan is executed. */
  private boolean isCommitting() {
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
          } else if (beats-- <= 0 && !isCommitting()) {
            unmade.run();
          } else {
            ProcessIdentity.sign(storage, file);
          }
        } catch (IOException | RuntimeException missed) {
          // Others allow for it; the next one may succeed, but not of a timer that has thrown.
        }
      }
    }
  }
}
