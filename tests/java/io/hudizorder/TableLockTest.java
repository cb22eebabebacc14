package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hudi.client.transaction.lock.InProcessLockProvider;
import org.apache.hudi.common.config.HoodieCommonConfig;
import org.apache.hudi.common.config.LockConfiguration;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.config.HoodieLockConfig;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.hadoop.fs.HadoopFSUtils;
import org.apache.hudi.storage.StorageConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table is locked by what its store has. */
class TableLockTest {

  @TempDir Path folder;

  /** Files of this machine by the scheme of an object store. */
  public static final class Objects extends RawLocalFileSystem {

    @Override
    public URI getUri() {
      return URI.create("s3a:///");
    }

    @Override
    public String getScheme() {
      return "s3a";
    }
  }

  private static TableLock lockOf(String table, String... atomic) {
    return lockOf(table, new TypedProperties(), atomic);
  }

  private static StorageConfiguration<?> storage() {
    Configuration hadoop = new Configuration();
    hadoop.setClass("fs.s3a.impl", Objects.class, RawLocalFileSystem.class);
    return HadoopFSUtils.getStorageConf(hadoop);
  }

  private static TableLock lockOf(String table, TypedProperties settings, String... atomic) {
    settings.setProperty(HoodieCommonConfig.BASE_PATH.key(), table);
    settings.setProperty(LockConfiguration.FILESYSTEM_LOCK_EXPIRE_PROP_KEY, "10");
    settings.setProperty(
        HoodieCommonConfig.HOODIE_FS_ATOMIC_CREATION_SUPPORT.key(), String.join(",", atomic));
    return new TableLock(new LockConfiguration(settings), storage());
  }

  private static boolean isOfThisProcess(String table, Class<?> provider) {
    Properties settings = new Properties();
    settings.setProperty(HoodieLockConfig.LOCK_PROVIDER_CLASS_NAME.key(), provider.getName());
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder().withPath(table).withProps(settings).build();
    return TableLock.isOfThisProcess(config, storage());
  }

  private boolean tryLockElsewhere(TableLock lock) throws Exception {
    Callable<Boolean> attempt = () -> lock.tryLock(1, TimeUnit.MILLISECONDS);
    FutureTask<Boolean> task = new FutureTask<>(attempt);
    new Thread(task).start();
    return task.get();
  }

  private void excludesOthersUntilReleased(TableLock lock, TableLock other) throws Exception {
    assertThat(lock.tryLock(1, TimeUnit.MILLISECONDS)).isTrue();
    assertThat(tryLockElsewhere(other)).isFalse();
    lock.unlock();
    lock.close();
    assertThat(tryLockElsewhere(other)).isTrue();
  }

  private boolean leavesAFile(TableLock lock) throws Exception {
    assertThat(lock.tryLock(1, TimeUnit.MILLISECONDS)).isTrue();
    try {
      return Files.exists(folder.resolve(".hoodie/lock"));
    } finally {
      lock.unlock();
    }
  }

  @Test
  void byAFileWhereFilesAreCreatedAtomically() throws Exception {
    Files.createDirectories(folder.resolve(".hoodie"));
    String table = folder.toUri().toString();
    assertThat(leavesAFile(lockOf(table))).isTrue();
    excludesOthersUntilReleased(lockOf(table), lockOf(table));
    assertThat(isOfThisProcess(table, TableLock.class)).isFalse();
  }

  @Test
  void withinTheProcessOnAnObjectStoreWithoutAClientOfHudis() throws Exception {
    String table = "s3a://" + folder;
    assertThat(leavesAFile(lockOf(table))).isFalse();
    // However its path is spelled.
    excludesOthersUntilReleased(lockOf(table), lockOf(table + "/"));
    assertThat(isOfThisProcess(table, TableLock.class)).isTrue();
    // Whoever names it knows.
    assertThat(isOfThisProcess(table, InProcessLockProvider.class)).isFalse();
  }

  @Test
  void byTheStoreOfTheFolderThatTheUserNamesForLocks() throws Exception {
    TypedProperties settings = new TypedProperties();
    settings.setProperty(
        LockConfiguration.FILESYSTEM_LOCK_PATH_PROP_KEY,
        Files.createDirectories(folder.resolve(".hoodie")).toUri().toString());
    assertThat(leavesAFile(lockOf("s3a://elsewhere/t", settings))).isTrue();
  }

  @Test
  void byAFileWhereTheUserSaysThatTheStoreCreatesThemAtomically() throws Exception {
    Files.createDirectories(folder.resolve(".hoodie"));
    assertThat(leavesAFile(lockOf("s3a://" + folder, "s3a", "gs"))).isTrue();
  }
}
