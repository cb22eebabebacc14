package io.hudizorder.concurrency;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hudi.client.transaction.lock.FileSystemBasedLockProvider;
import org.apache.hudi.common.config.LockConfiguration;
import org.apache.hudi.exception.HoodieIOException;
import org.apache.hudi.exception.HoodieLockException;
import org.apache.hudi.hadoop.fs.HadoopFSUtils;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.HoodieStorageUtils;
import org.apache.hudi.storage.StorageConfiguration;
import org.apache.hudi.storage.StoragePath;

/**
 * Hudi's lock by a file in the table's folder, which only its holder releases. Hudi's own class
 * deletes the file once more when it is closed, by then another's, and Hudi closes it after each
 * release. Both hold the same file, so that writers may use either.
 *
 * <p>Its holder is a thread: a stream shares its client, and that one's lock, with the service that
 * clusters beside it, and Hudi closes what one thread has released while the other goes on with it.
 *
 * <p>The file says which process holds it. When that was killed on this machine, the next one takes
 * the lock at once, and never while it lives. Of another machine it can tell neither: there the
 * file is renewed while it is held, and is left by somebody dead when it is as old as {@code
 * hoodie.write.lock.filesystem.expire} says.
 *
 * <p>It is for stores that create a file atomically, local ones and HDFS.
 */
public final class LockFile extends FileSystemBasedLockProvider {

  private static final long serialVersionUID = 1L;

  /** The scheme of Hadoop's local file system. */
  private static final String LOCAL = "file";

  private static final int ATTEMPTS_TO_RELEASE = 3;

  /** More often than any lock may expire, for that is a matter of whole minutes. */
  private static final Duration BETWEEN_RENEWALS = Duration.ofSeconds(20);

  private static final Timer RENEWALS = new Timer("renewal of table locks", true);

  /** What this process holds, by the file. */
  private static final Map<String, Held> HELD = new ConcurrentHashMap<>();

  private final transient HoodieStorage storage;
  private final transient StoragePath file;

  /** Whose holder alone may break the lock of a dead process, so that nobody breaks the next. */
  private final transient StoragePath breaking;

  private final transient Duration expiry;
  private final transient Duration betweenRenewals;

  /**
   * Makes it, and takes nothing yet.
   *
   * @throws HoodieLockException on a store that creates no file atomically
   */
  public LockFile(LockConfiguration lock, StorageConfiguration<?> storage) {
    this(lock, storage, BETWEEN_RENEWALS);
  }

  LockFile(LockConfiguration lock, StorageConfiguration<?> storage, Duration betweenRenewals) {
    super(lock, storage);
    this.betweenRenewals = betweenRenewals;
    this.file = new StoragePath(getLock());
    this.breaking = new StoragePath(getLock() + ".breaking");
    this.storage = HoodieStorageUtils.getStorage(file, storage);
    this.expiry =
        Duration.ofMinutes(
            lock.getConfig().getInteger(LockConfiguration.FILESYSTEM_LOCK_EXPIRE_PROP_KEY));
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) {
    try {
      return guarded(this::take);
    } catch (IOException e) {
      unlock();
      throw new HoodieLockException("Cannot lock the table by '" + file + "'", e);
    }
  }

  /** Hudi's own creates an empty file: of a process that died before it signed, none would know. */
  private boolean take() throws IOException {
    if (isLeft(file)) {
      breakUp();
    }
    if (!create()) {
      try {
        reloadCurrentOwnerLockInfo();
      } catch (HoodieIOException e) {
        // Its holder has released it meanwhile: the next try may take it.
      }
      return false;
    }
    Held held = new Held();
    HELD.put(getLock(), held);
    RENEWALS.schedule(held, betweenRenewals.toMillis(), betweenRenewals.toMillis());
    return true;
  }

  private boolean create() throws IOException {
    try {
      return ProcessIdentity.create(storage, file);
    } catch (IOException e) {
      // What was created all the same no thread would release as long as this process lives.
      if (!HELD.containsKey(getLock()) && ProcessIdentity.isOfThis(storage, file)) {
        storage.deleteFile(file);
      }
      throw e;
    }
  }

  /** Whether a file is of a process that has ended, as far as can be known, or as its age tells. */
  private boolean isLeft(StoragePath lock) throws IOException {
    return ProcessIdentity.isDead(storage, lock)
        || isExpired(lock) && (isForgotten(lock) || !ProcessIdentity.isAlive(storage, lock));
  }

  /** Whether this process has created it in vain: storage did, and then said that it had failed. */
  private boolean isForgotten(StoragePath lock) {
    return !HELD.containsKey(getLock()) && ProcessIdentity.isOfThis(storage, lock);
  }

  private boolean isExpired(StoragePath lock) throws IOException {
    if (expiry.isZero()) {
      return false;
    }
    try {
      long taken = storage.getPathInfo(lock).getModificationTime();
      return System.currentTimeMillis() - taken > expiry.toMillis();
    } catch (FileNotFoundException e) {
      return false; // nobody holds it
    }
  }

  @Override
  public void unlock() {
    Held held = HELD.get(getLock());
    if (held != null && held.holder == Thread.currentThread()) {
      try {
        held.end();
      } catch (IOException e) {
        throw new HoodieLockException("Cannot release the table's lock '" + file + "'", e);
      }
    }
  }

  /**
   * Tries more than once: while the process lives, nobody could tell that it holds it no more. Who
   * has taken it for dead, and the lock, keeps it.
   */
  private void release() throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        if (!ProcessIdentity.isOfAnother(storage, file)) {
          storage.deleteFile(file);
        }
        return;
      } catch (IOException e) {
        if (attempt == ATTEMPTS_TO_RELEASE) {
          throw e;
        }
      }
    }
  }

  /**
   * A lock that a thread holds, renewed while it does, and released for a thread that has ended.
   */
  private final class Held extends TimerTask {

    /** Nobody once it is to be released, be it that this has failed so far. */
    private volatile Thread holder = Thread.currentThread();

    void end() throws IOException {
      holder = null;
      guarded(this::release);
    }

    private boolean release() throws IOException {
      if (HELD.get(getLock()) == this) { // and no other thread has taken it meanwhile
        LockFile.this.release();
        HELD.remove(getLock());
        cancel();
      }
      return true;
    }

    @Override
    public void run() {
      Thread thread = holder;
      try {
        if (HELD.get(getLock()) != this) {
          cancel();
        } else if (thread == null || !thread.isAlive()) {
          end();
        } else if (!ProcessIdentity.isOfAnother(storage, file)) {
          ((FileSystem) storage.getFileSystem())
              .setTimes(HadoopFSUtils.convertToHadoopPath(file), System.currentTimeMillis(), -1);
        }
      } catch (IOException | RuntimeException missed) {
        // The next one may succeed, but not of a timer that has thrown.
      }
    }
  }

  private interface Step {
    boolean run() throws IOException;
  }

  /**
   * Runs a step that no other process of this machine may meet half done: Hadoop's local file
   * system looks whether a file exists and only then creates it, and deletes it before its
   * checksum. The system ends the guard with the process.
   */
  private boolean guarded(Step step) throws IOException {
    synchronized (LockFile.class) { // the system's lock is the process's, and not a thread's
      if (!LOCAL.equals(storage.getScheme())) {
        return step.run();
      }
      Path guard = Path.of(file.toUri().getPath() + ".guard");
      Files.createDirectories(guard.getParent());
      try (FileChannel channel =
              FileChannel.open(guard, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock alone = channel.lock()) {
        return step.run();
      }
    }
  }

  /** Releases what this thread holds; the file system is everybody's, and stays open. */
  @Override
  public void close() {
    unlock();
  }

  private void breakUp() throws IOException {
    if (isLeft(breaking)) {
      storage.deleteFile(breaking);
    }
    if (!ProcessIdentity.create(storage, breaking)) {
      return; // another process does
    }
    try {
      if (isLeft(file)) { // and no other process has taken it meanwhile
        storage.deleteFile(file);
      }
    } finally {
      storage.deleteFile(breaking);
    }
  }
}
