package io.hudizorder.concurrency;

import org.apache.hudi.client.transaction.lock.InProcessLockProvider;
import org.apache.hudi.common.config.HoodieCommonConfig;
import org.apache.hudi.common.config.LockConfiguration;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.lock.LockProvider;
import org.apache.hudi.storage.HoodieStorageUtils;
import org.apache.hudi.storage.StorageConfiguration;
import org.apache.hudi.storage.StoragePath;

/**
 * Hudi's lock of this process alone, mended: Hudi's own takes a table whose path is spelled in two
 * ways, as SQL does and others, for two.
 */
public final class ProcessLock {

  private ProcessLock() {}

  /** The one lock of a table, however the settings spell its path. */
  public static LockProvider<?> of(LockConfiguration settings, StorageConfiguration<?> storage) {
    TypedProperties once = new TypedProperties();
    once.putAll(settings.getConfig());
    String spelled = once.getString(HoodieCommonConfig.BASE_PATH.key());
    StoragePath path =
        new StoragePath(spelled)
            .makeQualified(HoodieStorageUtils.getStorage(spelled, storage).getUri());
    once.setProperty(HoodieCommonConfig.BASE_PATH.key(), path.toString());
    return new InProcessLockProvider(new LockConfiguration(once), storage);
  }
}
