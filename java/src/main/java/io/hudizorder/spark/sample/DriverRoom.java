package io.hudizorder.spark.sample;

import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * The driver's memory for samples, of which groups that are fitted side by side have a share each:
 * where many large ones would not fit, some wait until others are fitted.
 */
public final class DriverRoom {

  private static final long UNIT = 1L << 20;

  /**
   * The other half is for what is written meanwhile where tasks run on the driver, and for Spark.
   */
  private static final DriverRoom HALF = new DriverRoom(Runtime.getRuntime().maxMemory() / 2);

  private final int all;
  private final Semaphore free;

  DriverRoom(long bytes) {
    all = units(bytes);
    // In the order of asking: a large sample would wait for ever beside small ones.
    free = new Semaphore(all, true);
  }

  /** The room of this process. */
  public static DriverRoom here() {
    return HALF;
  }

  /**
   * Does some work once there is room for what it holds; of more than there ever is, alone.
   *
   * @param bytes what it holds at most, about
   */
  public <V> V taking(long bytes, Supplier<V> work) {
    int taken = Math.min(all, units(bytes));
    try {
      free.acquire(taken);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for room for a sample", e);
    }
    try {
      return work.get();
    } finally {
      free.release(taken);
    }
  }

  private static int units(long bytes) {
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, bytes / UNIT));
  }
}
