package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.common.config.LockConfiguration;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.hadoop.fs.HadoopFSUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lock whose one object several threads use, as a stream and the clustering beside it do. */
class TableLockTest {

  @TempDir Path folder;
  private TableLock lock;

  @BeforeEach
  void setUp() {
    lock = newLock();
  }

  private TableLock newLock() {
    TypedProperties settings = new TypedProperties();
    settings.setProperty(
        LockConfiguration.FILESYSTEM_LOCK_PATH_PROP_KEY, folder.toUri().toString());
    settings.setProperty(LockConfiguration.FILESYSTEM_LOCK_EXPIRE_PROP_KEY, "10");
    return new TableLock(
        new LockConfiguration(settings), HadoopFSUtils.getStorageConf(new Configuration()));
  }

  private static boolean tryLock(TableLock lock) {
    return lock.tryLock(1, TimeUnit.SECONDS);
  }

  /** What another thread has of it. */
  private static <T> T elsewhere(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, task -> new Thread(task).start()).join();
  }

  private boolean isHeld() {
    return folder.resolve("lock").toFile().exists();
  }

  @Test
  void aThreadThatTriesInVainLeavesTheHolderItsLock() {
    assertThat(tryLock(lock)).isTrue();
    assertThat(elsewhere(() -> tryLock(lock))).isFalse();
    assertThat(isHeld()).isTrue();

    lock.unlock();

    assertThat(isHeld()).isFalse();
  }

  @Test
  void aThreadReleasesNothingThatAnotherHolds() {
    assertThat(tryLock(lock)).isTrue();
    lock.unlock();
    assertThat(elsewhere(() -> tryLock(lock))).isTrue();

    lock.close(); // as Hudi does after each release, by which time another may hold it
    lock.unlock();

    assertThat(isHeld()).isTrue();
    assertThat(tryLock(lock)).isFalse();
  }

  @Test
  void aThreadReleasesByAnyObjectWhatItHolds() {
    assertThat(tryLock(lock)).isTrue();

    newLock().unlock(); // Hudi has closed and forgotten the other

    assertThat(isHeld()).isFalse();
  }
}
