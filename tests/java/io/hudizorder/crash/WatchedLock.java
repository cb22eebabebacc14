package io.hudizorder.crash;

import io.hudizorder.TableLock;
import io.hudizorder.concurrency.ProcessLock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import org.apache.hudi.common.config.HoodieCommonConfig;
import org.apache.hudi.common.config.LockConfiguration;
import org.apache.hudi.common.lock.LockProvider;
import org.apache.hudi.storage.StorageConfiguration;

/**
 * A {@link TableLock} whose holders can be stopped before they try to take it and before they
 * release it, by calls that {@link StorageCalls} names {@code lock} and {@code unlock}. At the
 * lock's own calls to storage all of this process would stop who ask for it.
 */
public class WatchedLock implements LockProvider<Object> {

  private final LockProvider<?> lock;
  private final String file;

  /** For Hudi, which makes it by this constructor. */
  public WatchedLock(LockConfiguration settings, StorageConfiguration<?> storage) {
    this(settings, new TableLock(settings, storage));
  }

  WatchedLock(LockConfiguration settings, LockProvider<?> lock) {
    this.lock = lock;
    this.file =
        settings.getConfig().getString(HoodieCommonConfig.BASE_PATH.key()) + "/.hoodie/lock";
  }

  /** The same of Hudi's lock within a process. */
  public static final class InProcess extends WatchedLock {

    /** For Hudi, which makes it by this constructor. */
    public InProcess(LockConfiguration settings, StorageConfiguration<?> storage) {
      super(settings, ProcessLock.of(settings, storage));
    }
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    tell("lock");
    boolean locked = lock.tryLock(time, unit);
    if (!locked) {
      StorageCalls.lockedOut();
    }
    return locked;
  }

  @Override
  public void unlock() {
    tell("unlock");
    lock.unlock();
  }

  /** Outside of what the lock itself waits for. */
  private void tell(String step) {
    try {
      StorageCalls.step(step, file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Object getLock() {
    return lock.getLock();
  }

  @Override
  public String getCurrentOwnerLockInfo() {
    return lock.getCurrentOwnerLockInfo();
  }

  @Override
  public void close() {
    lock.close();
  }
}
