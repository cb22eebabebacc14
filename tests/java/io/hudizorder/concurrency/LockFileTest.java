package io.hudizorder.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hudi.client.transaction.lock.FileSystemBasedLockProvider;
import org.apache.hudi.common.config.LockConfiguration;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.exception.HoodieLockException;
import org.apache.hudi.hadoop.fs.HadoopFSUtils;
import org.apache.hudi.storage.HoodieStorageUtils;
import org.apache.hudi.storage.StorageConfiguration;
import org.apache.hudi.storage.StoragePath;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A lock's one object may serve several threads, as of a stream and of the clustering beside it.
 */
class LockFileTest {

  private static final StorageConfiguration<?> STORAGE =
      HadoopFSUtils.getStorageConf(new Configuration());

  @TempDir Path folder;
  private LockFile lock;

  @BeforeEach
  void setUp() {
    lock = newLock();
  }

  private LockFile newLock() {
    return new LockFile(configuration(), STORAGE);
  }

  private LockConfiguration configuration() {
    return configuration(folder.toUri().toString());
  }

  private static LockConfiguration configuration(String folder) {
    return configuration(folder, "10");
  }

  private static LockConfiguration configuration(String folder, String expiry) {
    TypedProperties settings = new TypedProperties();
    settings.setProperty(LockConfiguration.FILESYSTEM_LOCK_PATH_PROP_KEY, folder);
    settings.setProperty(LockConfiguration.FILESYSTEM_LOCK_EXPIRE_PROP_KEY, expiry);
    return new LockConfiguration(settings);
  }

  private static boolean tryLock(FileSystemBasedLockProvider lock) {
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

  @Test
  void hudisOwnLockAndOursExcludeOneAnother() {
    FileSystemBasedLockProvider hudis = new FileSystemBasedLockProvider(configuration(), STORAGE);
    assertThat(tryLock(lock)).isTrue();
    assertThat(tryLock(hudis)).isFalse();
    lock.unlock();
    assertThat(tryLock(hudis)).isTrue();
    assertThat(tryLock(lock)).isFalse();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aLockNamesItsProcessFromItsFirstMomentOn() throws Exception {
    Path file = folder.resolve("lock");
    AtomicBoolean ended = new AtomicBoolean();
    CompletableFuture<Long> seen =
        CompletableFuture.supplyAsync(
            () -> {
              long nameless = 0;
              while (!ended.get()) {
                nameless += Files.exists(file) && contentOf(file).isEmpty() ? 1 : 0;
              }
              return nameless;
            },
            task -> new Thread(task).start());
    for (int round = 0; round < 200; round++) {
      assertThat(tryLock(lock)).isTrue();
      lock.unlock();
    }
    ended.set(true);

    assertThat(seen.join()).isZero();
  }

  /** What a file holds; of one that has just gone, something. */
  private static String contentOf(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException gone) {
      return "gone";
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aDeadProcessThatWasBreakingALockHindersNobody() throws Exception {
    Files.writeString(folder.resolve("lock"), signatureOfTheDead());
    Files.writeString(folder.resolve("lock.breaking"), signatureOfTheDead());

    assertThat(tryLock(lock)).isTrue();

    assertThat(folder.resolve("lock.breaking")).doesNotExist();
  }

  @Test
  void aLockThatNamesNobodyIsTakenWhenItHasExpired() throws Exception {
    Path file = Files.createFile(folder.resolve("lock"));
    assertThat(tryLock(lock)).isFalse();
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(11, ChronoUnit.MINUTES)));

    assertThat(tryLock(lock)).isTrue();
  }

  /** Such as while a commit of many files writes to the metadata table. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aLockOfAProcessThatLivesDoesNotExpire() throws Exception {
    Process process = new ProcessBuilder("sleep", "100").start();
    try {
      Path file = Files.writeString(folder.resolve("lock"), ProcessIdentity.of(process.pid()));
      Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(11, ChronoUnit.MINUTES)));

      assertThat(tryLock(lock)).isFalse();
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertThat(tryLock(lock)).isTrue();
  }

  /** Storage did what it said that it had not. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aLockOfThisProcessThatNoThreadHoldsExpires() throws Exception {
    Path file = Files.writeString(folder.resolve("lock"), ProcessIdentity.ofThis());
    assertThat(tryLock(lock)).isFalse();

    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(11, ChronoUnit.MINUTES)));

    assertThat(tryLock(lock)).isTrue();
  }

  @Test
  void whoHasLostALockLeavesItToWhoHasItByThen() throws Exception {
    assertThat(tryLock(lock)).isTrue();
    Path file = folder.resolve("lock");
    Files.deleteIfExists(folder.resolve(".lock.crc"));
    Files.writeString(file, "another boot 1 2");

    lock.unlock();

    assertThat(file).hasContent("another boot 1 2");
  }

  /** For those on other machines, who can tell by its age alone that its holder lives. */
  @Test
  @Timeout(60)
  void aLockIsRenewedWhileItIsHeld() throws Exception {
    LockFile renewed = new LockFile(configuration(), STORAGE, Duration.ofMillis(20));
    assertThat(tryLock(renewed)).isTrue();
    Path file = folder.resolve("lock");
    FileTime longAgo = FileTime.from(Instant.now().minus(11, ChronoUnit.MINUTES));
    Files.setLastModifiedTime(file, longAgo);
    while (Files.getLastModifiedTime(file).equals(longAgo)) {
      TimeUnit.MILLISECONDS.sleep(10);
    }

    renewed.unlock();

    assertThat(file).doesNotExist();
    Files.createFile(file);
    Files.setLastModifiedTime(file, longAgo);
    TimeUnit.MILLISECONDS.sleep(200);
    assertThat(Files.getLastModifiedTime(file)).isEqualTo(longAgo);
  }

  /** Its process lives, so that nobody else could break the lock. */
  @Test
  @Timeout(60)
  void whatAThreadHeldThatHasEndedIsReleased() throws Exception {
    LockFile renewed = new LockFile(configuration(), STORAGE, Duration.ofMillis(20));
    assertThat(elsewhere(() -> tryLock(renewed))).isTrue();

    while (isHeld()) {
      TimeUnit.MILLISECONDS.sleep(10);
    }

    assertThat(tryLock(lock)).isTrue();
  }

  /** As Hudi's own does by default. */
  @Test
  void aLockThatNamesNobodyIsHeldForEverWhereNoneExpires() throws Exception {
    Path file = Files.createFile(folder.resolve("lock"));
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(9, ChronoUnit.DAYS)));

    assertThat(tryLock(new LockFile(configuration(folder.toUri().toString(), "0"), STORAGE)))
        .isFalse();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void whatADeadProcessHeldIsTakenByOneAlone() throws Exception {
    int rounds = 50;
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < rounds; round++) {
        Files.writeString(folder.resolve("lock"), signatureOfTheDead());
        assertThat(holders(threads)).as("in round %d", round).isOne();
        Files.delete(folder.resolve("lock"));
        Files.delete(folder.resolve(".lock.crc")); // which tells nothing of the next signature
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
      LockFile each = newLock();
      asking.add(
          () -> {
            together.await(10, TimeUnit.SECONDS);
            boolean held = false;
            for (int again = 0; again < 20 && !held; again++) {
              held = tryLock(each);
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

  /** Files of this machine, by the scheme of a store that others share. */
  public static final class SharedFiles extends RawLocalFileSystem {

    private static Runnable beforeBreaking = () -> {};

    /** How many calls are to fail, if only in what they say, that create the lock or delete it. */
    private static int failing;

    private static void fail(org.apache.hadoop.fs.Path file) throws IOException {
      if (file.getName().equals("lock") && failing > 0) {
        failing--;
        throw new IOException("as of a store that cannot be reached");
      }
    }

    static LockFile newLock(Path folder) {
      Configuration shared = new Configuration();
      shared.set("fs.hdfs.impl", SharedFiles.class.getName());
      shared.setBoolean("fs.hdfs.impl.disable.cache", true);
      return new LockFile(configuration("hdfs:" + folder), HadoopFSUtils.getStorageConf(shared));
    }

    @Override
    public String getScheme() {
      return "hdfs";
    }

    @Override
    public URI getUri() {
      return URI.create(getScheme() + ":///");
    }

    @Override
    public boolean rename(org.apache.hadoop.fs.Path from, org.apache.hadoop.fs.Path to)
        throws IOException {
      if (to.getName().endsWith(".breaking")) {
        beforeBreaking.run();
      }
      boolean renamed = super.rename(from, to);
      fail(to);
      return renamed;
    }

    @Override
    public boolean delete(org.apache.hadoop.fs.Path file, boolean recursive) throws IOException {
      fail(file);
      return super.delete(file, recursive);
    }
  }

  /** Where nothing keeps another machine from breaking the same lock, and from taking it. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void whoWasSlowToBreakALockLeavesItToWhoHasItByThen() throws Exception {
    Path file = folder.resolve("lock");
    Files.writeString(file, signatureOfTheDead());
    LockFile slow = SharedFiles.newLock(folder);
    SharedFiles.beforeBreaking =
        () -> {
          try {
            Files.writeString(file, ProcessIdentity.ofThis());
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };

    assertThat(tryLock(slow)).isFalse();

    assertThat(file).hasContent(ProcessIdentity.ofThis());
    SharedFiles.beforeBreaking = () -> {};
  }

  /** No thread would ever release it. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void whatWasCreatedAlthoughItFailedIsTakenAwayAtOnce() {
    LockFile shared = SharedFiles.newLock(folder);
    SharedFiles.failing = 1;

    assertThatThrownBy(() -> tryLock(shared)).isInstanceOf(HoodieLockException.class);

    assertThat(isHeld()).isFalse();
    assertThat(tryLock(shared)).isTrue();
  }

  @Test
  void aLockThatIsHardToReleaseIsReleased() {
    LockFile shared = SharedFiles.newLock(folder);
    assertThat(tryLock(shared)).isTrue();
    SharedFiles.failing = 2;

    shared.unlock();

    assertThat(isHeld()).isFalse();
  }

  private String signatureOfTheDead() throws IOException {
    StoragePath signed = new StoragePath(folder.resolve("signed").toString());
    ProcessIdentity.sign(HoodieStorageUtils.getStorage(signed, STORAGE), signed);
    String identity = Files.readString(folder.resolve("signed"));
    return identity.substring(0, identity.lastIndexOf(' ')) + " 1"; // who started long before
  }
}
