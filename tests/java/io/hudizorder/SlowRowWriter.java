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

  private static volatile At at;
  private static volatile CountDownLatch reached = new CountDownLatch(1);
  private static volatile CountDownLatch released = new CountDownLatch(1);

  /** Called by Hudi, by name. */
  public SlowRowWriter(
      Configuration conf, StructType schema, Option<BloomFilter> filter, HoodieConfig config) {
    super(conf, schema, filter, config);
  }

  /** Stops whoever comes to this place next. */
  static void stopAt(At place) {
    reached = new CountDownLatch(1);
    released = new CountDownLatch(1);
    at = place;
  }

  /** Returns once a writer has stopped, with its file open. */
  static void awaitReached() throws InterruptedException {
    reached.await();
  }

  static void release() {
    at = null;
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

  private static void pass(At place) {
    if (at == place) {
      reached.countDown();
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
}
