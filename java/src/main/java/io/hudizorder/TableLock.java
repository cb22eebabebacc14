package io.hudizorder;

import java.util.concurrent.TimeUnit;
import org.apache.hudi.client.transaction.lock.FileSystemBasedLockProvider;
import org.apache.hudi.common.config.LockConfiguration;
import org.apache.hudi.storage.StorageConfiguration;

/**
 * Hudi's lock by a file in the table's folder, which only its holder releases; for {@code
 * hoodie.write.lock.provider}. Hudi's own class deletes the file once more when it is closed, by
 * then another's, and Hudi closes it after each release. Both hold the same file, so that writers
 * may use either.
 *
 * <p>It is for stores that create a file atomically, local ones and HDFS; its constructor refuses
 * others, for which Hudi has {@code StorageBasedLockProvider}.
 */
public final class TableLock extends FileSystemBasedLockProvider {

  private static final long serialVersionUID = 1L;

  private boolean held;

  /** For Hudi, which makes it by this constructor. */
  public TableLock(LockConfiguration lock, StorageConfiguration<?> storage) {
    super(lock, storage);
  }

  @Override
  public synchronized boolean tryLock(long time, TimeUnit unit) {
    held = super.tryLock(time, unit);
    return held;
  }

  @Override
  public synchronized void unlock() {
    if (held) {
      held = false;
      super.unlock();
    }
  }

  /** Releases what it holds; the file system is everybody's, and stays open. */
  @Override
  public void close() {
    unlock();
  }
}
