package io.hudizorder;

import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.common.bloom.BloomFilter;
import org.apache.hudi.common.config.HoodieConfig;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.io.storage.row.HoodieRowParquetWriteSupport;
import org.apache.parquet.hadoop.api.WriteSupport.FinalizedWriteContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/**
 * A writer that Hudi is told of by its option, and that stops in the middle of a file, or while it
 * closes it, deaf to interrupts until the test lets it go on.
 */
public final class SlowRowWriter extends HoodieRowParquetWriteSupport {

  /** Where the writer stops. */
  enum At {
    ROW,
    CLOSE
  }

  static final String FAILURE = "a writer beside the one that stopped";

  private static volatile At at;
  private static volatile boolean othersFail;
  private static volatile CountDownLatch reached = new CountDownLatch(1);
  private static volatile CountDownLatch released = new CountDownLatch(1);
  private static volatile CountDownLatch failed = new CountDownLatch(1);

  /** Called by Hudi, by name. */
  public SlowRowWriter(
      Configuration conf, StructType schema, Option<BloomFilter> filter, HoodieConfig config) {
    super(conf, schema, filter, config);
  }

  /** Stops all who come to this place. */
  static void stopAt(At place) {
    stopFirstAt(place);
    othersFail = false;
  }

  /** Stops who comes to this place first; others fail as they close their files. */
  static void stopFirstAt(At place) {
    reached = new CountDownLatch(1);
    released = new CountDownLatch(1);
    failed = new CountDownLatch(1);
    othersFail = true;
    at = place;
  }

  /** Returns once a writer has stopped, with its file open. */
  static void awaitReached() throws InterruptedException {
    reached.await();
  }

  /** Returns once another writer has failed. */
  static void awaitFailed() throws InterruptedException {
    failed.await();
  }

  static void release() {
    at = null;
    othersFail = false;
    released.countDown();
  }

  @Override
  public void write(InternalRow row) {
    pass(At.ROW);
    super.write(row);
  }

  @Override
  public FinalizedWriteContext finalizeWrite() {
    pass(At.CLOSE);
    return super.finalizeWrite();
  }

  static void pass(At place) {
    boolean stops = at == place && isFirst();
    if (!stops && othersFail && place == At.CLOSE) {
      failed.countDown();
      throw new AssertionError(FAILURE);
    }
    if (stops || (at == place && !othersFail)) {
      boolean waiting = true;
      while (waiting) {
        try {
          released.await();
          waiting = false;
        } catch (InterruptedException deaf) {
          continue;
        }
      }
    }
  }

  private static synchronized boolean isFirst() {
    boolean isFirst = reached.getCount() > 0;
    reached.countDown();
    return isFirst;
  }
}
