package io.hudizorder.concurrency;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;

/**
 * A process in words that another one of the same machine can tell its death by: the machine's
 * boot, the namespace of process numbers, the number and when the process started. Python's twin is
 * {@code hudi/processes.py}.
 *
 * <p>It is known where Linux tells it; elsewhere it is empty, and proves nothing.
 */
public final class ProcessIdentity {

  private static final Path PROCESSES = Path.of("/proc");
  private static final String FIRST = "1";
  private static final int BOOT = 0;
  private static final int NAMESPACE = 1;
  private static final int NUMBER = 2;
  private static final int STARTED = 3;
  private static final int PARTS = 4;

  /** What the file {@code stat} has after the name of the program, by position. */
  private static final int STATE = 0;

  private static final int START_TIME = 19;

  /** Of processes that have ended, and whose end nobody has asked for. */
  private static final Set<String> ENDED = Set.of("Z", "X");

  /** What can be known here of a process. */
  private enum Life {
    ALIVE,
    DEAD,
    UNKNOWN
  }

  private ProcessIdentity() {}

  /** This process, for a plan to tell who made it. */
  public static String ofThis() {
    return of(ProcessHandle.current().pid());
  }

  /** Writes into a file, over what it had, that this process holds it. */
  public static void sign(HoodieStorage storage, StoragePath file) throws IOException {
    try (OutputStream out = storage.create(file, true)) {
      out.write(ofThis().getBytes(StandardCharsets.US_ASCII));
    }
  }

  /**
   * Creates a file that is signed from its first moment on, so that it names its process wherever
   * that dies; where a store shows a file before it is written, it is written beside and moved.
   *
   * @return false if there is such a file
   */
  public static boolean create(HoodieStorage storage, StoragePath file) throws IOException {
    if (storage.needCreateTempFile()) {
      StoragePath beside =
          new StoragePath(file.getParent(), file.getName() + "." + UUID.randomUUID());
      sign(storage, beside);
      boolean created = !storage.exists(file) && storage.rename(beside, file);
      if (!created) {
        storage.deleteFile(beside);
      }
      return created;
    }
    if (storage.exists(file)) {
      return false;
    }
    try (OutputStream out = storage.create(file, false)) {
      out.write(ofThis().getBytes(StandardCharsets.US_ASCII));
      return true;
    } catch (FileAlreadyExistsException e) {
      return false; // somebody else was quicker
    }
  }

  /** Whether the process that signed a file is certain to have ended. */
  public static boolean isDead(HoodieStorage storage, StoragePath file) {
    return isDead(signed(storage, file));
  }

  /** Whether the process that signed a file is certain to live. */
  static boolean isAlive(HoodieStorage storage, StoragePath file) {
    return life(signed(storage, file)) == Life.ALIVE;
  }

  /** Whether any process has signed a file. */
  static boolean isSigned(HoodieStorage storage, StoragePath file) {
    return !signed(storage, file).isEmpty();
  }

  /** Whether this process has signed a file. */
  static boolean isOfThis(HoodieStorage storage, StoragePath file) {
    String signed = signed(storage, file);
    return !signed.isEmpty() && signed.equals(ofThis());
  }

  /** Whether a file has words that are not of this process. */
  static boolean isOfAnother(HoodieStorage storage, StoragePath file) {
    String signed = signed(storage, file);
    return !signed.isEmpty() && !signed.equals(ofThis());
  }

  /** Who has signed a file; nobody where it is gone, or just being signed. */
  private static String signed(HoodieStorage storage, StoragePath file) {
    try (InputStream in = storage.open(file)) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      return "";
    }
  }

  static String of(long number) {
    try {
      String[] stat = stat(Long.toString(number));
      return String.join(" ", machine(), Long.toString(number), stat[START_TIME]);
    } catch (IOException e) {
      return ""; // no Linux, or one that hides its processes
    }
  }

  /** Whether a process is certain to have ended; false of one on another machine. */
  static boolean isDead(String identity) {
    return life(identity) == Life.DEAD;
  }

  private static Life life(String identity) {
    String[] parts = identity.trim().split(" ");
    try {
      if (parts.length != PARTS || !machine().equals(parts[BOOT] + " " + parts[NAMESPACE])) {
        return Life.UNKNOWN;
      }
      stat(FIRST);
    } catch (IOException e) {
      return Life.UNKNOWN; // no Linux, or one that hides the processes of others
    }
    try {
      String[] stat = stat(parts[NUMBER]);
      return ENDED.contains(stat[STATE]) || !stat[START_TIME].equals(parts[STARTED])
          ? Life.DEAD
          : Life.ALIVE;
    } catch (NoSuchFileException e) {
      return Life.DEAD;
    } catch (IOException e) {
      return Life.UNKNOWN;
    }
  }

  private static String machine() throws IOException {
    String boot = Files.readString(PROCESSES.resolve("sys/kernel/random/boot_id")).trim();
    return boot + " " + Files.readSymbolicLink(PROCESSES.resolve("self/ns/pid"));
  }

  private static String[] stat(String number) throws IOException {
    String stat = Files.readString(PROCESSES.resolve(number).resolve("stat"));
    // The name of the program, in brackets, may hold anything.
    return stat.substring(stat.lastIndexOf(')') + 2).trim().split(" ");
  }
}
