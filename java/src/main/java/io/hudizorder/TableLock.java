package io.hudizorder;

import io.hudizorder.concurrency.LockFile;
import io.hudizorder.concurrency.ProcessLock;
import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.hudi.LockOfStore;
import java.util.concurrent.TimeUnit;
import org.apache.hudi.common.config.HoodieCommonConfig;
import org.apache.hudi.common.config.LockConfiguration;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.lock.LockProvider;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.StringUtils;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.storage.HoodieStorageUtils;
import org.apache.hudi.storage.StorageConfiguration;
import org.apache.hudi.storage.StorageSchemes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock that a table's store has, for {@code hoodie.write.lock.provider}: a {@link LockFile}
 * where files are created atomically, as on local disks and HDFS; Hudi's {@code
 * StorageBasedLockProvider} on object stores, where Hudi's bundle for the cloud brings what that
 * needs; else a lock of this process alone, which it warns of.
 */
public final class TableLock implements LockProvider<Object> {

  private static final Logger LOG = LoggerFactory.getLogger(TableLock.class);

  private final LockProvider<?> lock;

  /** For Hudi, which makes it by this constructor. */
  public TableLock(LockConfiguration settings, StorageConfiguration<?> storage) {
    this.lock = lockOf(settings, storage);
  }

  private static LockProvider<?> lockOf(
      LockConfiguration settings, StorageConfiguration<?> storage) {
    String scheme = schemeOf(settings.getConfig(), storage);
    Option<LockOfStore> ofStore = ofStore(scheme, settings.getConfig());
    if (ofStore.isPresent()) {
      return ofStore.get().make(settings, storage);
    }
    LOG.warn(
        "Only this process is locked out of '{}': its store creates no file atomically, and the"
            + " class path has no StorageBasedLockProvider with a client for '{}'; add Hudi's"
            + " bundle for the cloud, or name a lock by hoodie.write.lock.provider",
        folderOf(settings.getConfig()),
        scheme);
    return ProcessLock.of(settings, storage);
  }

  /** What makes the lock that a store has, if it has one. */
  private static Option<LockOfStore> ofStore(String scheme, TypedProperties settings) {
    return createsAtomically(scheme, settings)
        ? Option.of(LockFile::new)
        : HudiCalls.here().lockOfStore(scheme);
  }

  /** Whether whoever writes by a configuration keeps out this process alone, without meaning to. */
  static boolean isOfThisProcess(HoodieWriteConfig config, StorageConfiguration<?> storage) {
    TypedProperties settings = config.getProps();
    return TableLock.class.getName().equals(config.getLockProviderClass())
        && !ofStore(schemeOf(settings, storage), settings).isPresent();
  }

  private static String schemeOf(TypedProperties settings, StorageConfiguration<?> storage) {
    return HoodieStorageUtils.getStorage(folderOf(settings), storage).getScheme();
  }

  /** As Hudi's lock by a file finds its folder. */
  private static String folderOf(TypedProperties settings) {
    String own = settings.getString(LockConfiguration.FILESYSTEM_LOCK_PATH_PROP_KEY, null);
    return StringUtils.isNullOrEmpty(own)
        ? settings.getString(HoodieCommonConfig.BASE_PATH.key())
        : own;
  }

  private static boolean createsAtomically(String scheme, TypedProperties settings) {
    return StringUtils.split(
                settings.getString(HoodieCommonConfig.HOODIE_FS_ATOMIC_CREATION_SUPPORT.key(), ""),
                ",")
            .contains(scheme)
        || StorageSchemes.isSchemeSupported(scheme)
            && StorageSchemes.isAtomicCreationSupported(scheme);
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    return lock.tryLock(time, unit);
  }

  @Override
  public void unlock() {
    lock.unlock();
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
