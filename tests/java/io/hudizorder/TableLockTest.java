package io.hudizorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hudizorder.concurrency.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.client.transaction.lock.FileSystemBasedLockProvider;
import org.apache.hudi.common.config.LockConfiguration;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.hadoop.fs.HadoopFSUtils;
import org.apache.hudi.storage.HoodieStorageUtils;
import org.apache.hudi.storage.StorageConfiguration;
import org.apache.hudi.storage.StoragePath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class TableLockTest {

  private static final StorageConfiguration<?> STORAGE =
      HadoopFSUtils.getStorageConf(new Configuration());

  @TempDir Path folder;

  @Test
  void oneHoldsItAtATime() {
    TableLock first = new TableLock(configuration(), STORAGE);
    TableLock second = new TableLock(configuration(), STORAGE);
    assertTrue(locks(first));
    assertFalse(locks(second));
    first.unlock();
    assertTrue(locks(second));
  }

  @Test
  void whoDoesNotHoldItReleasesNothing() {
    TableLock holder = new TableLock(configuration(), STORAGE);
    TableLock other = new TableLock(configuration(), STORAGE);
    assertTrue(locks(holder));
    assertFalse(locks(other));
    other.unlock();
    other.close();
    assertTrue(Files.exists(file()));
  }

  @Test
  void whoAsksOnceMoreStillReleasesIt() {
    TableLock holder = new TableLock(configuration(), STORAGE);
    assertTrue(locks(holder));
    assertFalse(locks(holder));
    holder.unlock();
    assertFalse(Files.exists(file()));
  }

  @Test
  void hudisOwnLockAndOursExcludeOneAnother() {
    TableLock ours = new TableLock(configuration(), STORAGE);
    FileSystemBasedLockProvider hudis = new FileSystemBasedLockProvider(configuration(), STORAGE);
    assertTrue(locks(ours));
    assertFalse(locks(hudis));
    ours.unlock();
    assertTrue(locks(hudis));
    assertFalse(locks(ours));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void whatADeadProcessHeldIsTakenByOneAlone() throws Exception {
    int rounds = 50;
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < rounds; round++) {
        Files.writeString(file(), signatureOfTheDead());
        assertEquals(1, holders(threads), "in round " + round);
        Files.delete(file());
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** How many of four locks say that they hold it when all ask at once, and again if refused. */
  private int holders(ExecutorService threads) throws Exception {
    CyclicBarrier together = new CyclicBarrier(4);
    List<Callable<Boolean>> asking = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      TableLock lock = new TableLock(configuration(), STORAGE);
      asking.add(
          () -> {
            together.await(10, TimeUnit.SECONDS);
            boolean held = false;
            for (int again = 0; again < 20 && !held; again++) {
              held = locks(lock);
            }
            return held;
          });
    }
    int holders = 0;
    for (Future<Boolean> held : threads.invokeAll(asking)) {
      holders += held.get() ? 1 : 0;
    }
    return holders;
  }

  private String signatureOfTheDead() throws IOException {
    StoragePath signed = new StoragePath(folder.resolve("signed").toString());
    ProcessIdentity.sign(HoodieStorageUtils.getStorage(signed, STORAGE), signed);
    String identity = Files.readString(folder.resolve("signed"));
    return identity.substring(0, identity.lastIndexOf(' ')) + " 1"; // who started long before
  }

  private static boolean locks(FileSystemBasedLockProvider lock) {
    return lock.tryLock(1, TimeUnit.SECONDS);
  }

  private Path file() {
    return folder.resolve("lock");
  }

  private LockConfiguration configuration() {
    TypedProperties properties = new TypedProperties();
    properties.setProperty("hoodie.write.lock.filesystem.path", folder.toString());
    properties.setProperty("hoodie.write.lock.filesystem.expire", "0");
    return new LockConfiguration(properties);
  }
}
