package io.hudizorder.hudi;

import org.apache.hudi.common.config.LockConfiguration;
import org.apache.hudi.common.lock.LockProvider;
import org.apache.hudi.storage.StorageConfiguration;

/** Makes the lock that a store has. */
@FunctionalInterface
public interface LockOfStore {

  LockProvider<?> make(LockConfiguration settings, StorageConfiguration<?> storage);
}
