package io.hudizorder.crash;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;

/**
 * The calls to storage below one folder, one at a time: a journal by which what lay there after any
 * of them can be made again, and a fault at one of them.
 *
 * <p>A call has a name that is the same in every run, whatever its threads do first: what it does,
 * the path without times and random numbers, and how often that was met before.
 */
public final class StorageCalls {

  /** What happens at the call that is chosen. */
  public enum Fault {
    /** It is not done, and says so; later ones are. */
    FAILS,
    /** It is done, and says that it is not. */
    SAYS_THAT_IT_FAILS,
    /** Neither it nor any later one of this kind at this path is done. */
    FAILS_ALWAYS,
    /** Half of what it is to write is written, and its writer told, who can close the file. */
    DISK_IS_FULL,
    /** It takes long. */
    SLOW,
    /** Neither it nor any later one of any kind: the process is dead. */
    DIES,
    /** It is done when its turn has come. */
    STOPS
  }

  /** Ends threads of a process that is dead to its storage. */
  static final class Dead extends Error {
    private static final long serialVersionUID = 1L;

    Dead(String call) {
      super("the process died before " + call);
    }
  }

  interface Step<T> {
    T run() throws IOException;
  }

  private static final Pattern RANDOM =
      Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final Pattern TIME = Pattern.compile("\\d{17}");
  private static final Pattern TASK = Pattern.compile("_\\d+-\\d+-\\d+");
  private static final long SLOW_MS = 1500;
  private static final long PATIENCE_MS = 60_000;

  private static String root;
  private static String chosen;
  private static Fault fault;
  private static boolean met;
  private static boolean inside;
  private static boolean dead;
  private static int stops;
  private static int refusals;
  private static final Set<Integer> RESUMED = new HashSet<>();
  private static final List<String> CALLS = new ArrayList<>();
  private static final List<byte[]> CONTENTS = new ArrayList<>();
  private static final Map<String, Integer> SEEN = new HashMap<>();

  private StorageCalls() {}

  /** Begins a journal of what lies below a folder, with no fault. */
  public static void watch(String folder) {
    watch(folder, null, null);
  }

  /** The same with a fault at the call of this name. */
  public static synchronized void watch(String folder, String call, String kind) {
    root = folder;
    chosen = call;
    fault = kind == null ? null : Fault.valueOf(kind);
    met = false;
    dead = false;
    stops = 0;
    refusals = 0;
    RESUMED.clear();
    CALLS.clear();
    CONTENTS.clear();
    SEEN.clear();
  }

  /** Has another call stop, by its name among those from now on; none where it is null. */
  public static synchronized void stopNext(String call) {
    chosen = call;
    SEEN.clear();
  }

  /** How many calls have stopped so far. */
  public static synchronized int stops() {
    return stops;
  }

  /** How often somebody has not got a {@link WatchedLock} so far. */
  public static synchronized int refusals() {
    return refusals;
  }

  /** Tells of one who has not. */
  public static synchronized void lockedOut() {
    refusals++;
  }

  /** What somebody does to a path that is no call to storage. */
  public static void step(String operation, String path) throws IOException {
    call(operation, new Path(path), "", new byte[0], () -> null);
  }

  /** Goes on with the call that stopped as the first, or as the second. */
  public static synchronized void resume(int stop) {
    RESUMED.add(stop);
    StorageCalls.class.notifyAll();
  }

  /** Ends the watch; returns whether the call with a fault was made. */
  public static synchronized boolean end() {
    root = null;
    return met;
  }

  /** The calls so far, one a line: name, operation, path, and where it was moved to; by tabs. */
  public static synchronized String journal() {
    return String.join("\n", CALLS);
  }

  /** What a call of the journal has written. */
  public static synchronized byte[] content(int call) {
    return CONTENTS.get(call);
  }

  static <T> T change(String operation, Path path, Step<T> step) throws IOException {
    return call(operation, path, "", new byte[0], step);
  }

  static <T> T list(Path path, Step<T> step) throws IOException {
    return call("list", path, "", new byte[0], step);
  }

  static <T> T rename(Path from, Path to, Step<T> step) throws IOException {
    return call("rename", from, to.toUri().getPath(), new byte[0], step);
  }

  static <T> T write(Path path, byte[] content, Step<T> step) throws IOException {
    return call("write", path, "", content, step);
  }

  /** Whether the next write to a file finds the disk full, as all do after the first that does. */
  static synchronized boolean isFull(Path path) {
    String place = path.toUri().getPath();
    if (fault != Fault.DISK_IS_FULL || !isWatched(place)) {
      return false;
    }
    met |= chosen.equals(next("write " + general(relative(place))));
    return met;
  }

  private static String next(String kind) {
    return kind + " " + (SEEN.getOrDefault(kind, 0) + 1);
  }

  private static boolean isWatched(String path) {
    return root != null && !inside && (path + "/").startsWith(root + "/");
  }

  private static synchronized <T> T call(
      String operation, Path at, String to, byte[] content, Step<T> step) throws IOException {
    String path = at.toUri().getPath();
    if (!isWatched(path)) {
      return step.run();
    }
    String kind = operation + " " + general(relative(path));
    String name = kind + " " + SEEN.merge(kind, 1, Integer::sum);
    boolean here = name.equals(chosen);
    met |= here;
    if (dead || (here && fault == Fault.DIES)) {
      dead = true;
      throw new Dead(name);
    }
    boolean always = met && fault == Fault.FAILS_ALWAYS && chosen.startsWith(kind + " ");
    if (always || (here && fault == Fault.FAILS)) {
      throw new IOException("Storage failed at " + name);
    }
    if (here && fault == Fault.SLOW) {
      sleep();
    }
    if (here && fault == Fault.STOPS) {
      stop();
    }
    inside = true;
    try {
      T done = step.run();
      CALLS.add(
          String.join("\t", name, operation, relative(path), to.isEmpty() ? to : relative(to)));
      CONTENTS.add(content);
      if (here && fault == Fault.SAYS_THAT_IT_FAILS) {
        throw new IOException("Storage failed to tell of " + name);
      }
      return done;
    } finally {
      inside = false;
    }
  }

  private static String relative(String path) {
    return path.length() == root.length() ? "." : path.substring(root.length() + 1);
  }

  private static String general(String path) {
    String named = RANDOM.matcher(path).replaceAll("{id}");
    return TASK.matcher(TIME.matcher(named).replaceAll("{time}")).replaceAll("_{task}");
  }

  /** Lets the others go on, as it waits by the lock of this class; for ever would stop a test. */
  private static void stop() throws InterruptedIOException {
    int own = ++stops;
    chosen = null;
    long end = System.currentTimeMillis() + PATIENCE_MS;
    try {
      for (long left = PATIENCE_MS; left > 0 && !RESUMED.contains(own); ) {
        StorageCalls.class.wait(left);
        left = end - System.currentTimeMillis();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while it stopped");
    }
  }

  private static void sleep() {
    try {
      Thread.sleep(SLOW_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
