package io.hudizorder;

import io.hudizorder.write.PhaseTimer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.storage.StoragePath;

/**
 * What one clustering did, beyond what its commit records: seconds per phase, the reader of each
 * group, and what queries were foretold to read. Kept in the driver's memory for whoever ran it;
 * {@link #of} finds those that are under way, and the latest of the others.
 */
public final class ClusteringReport implements PhaseTimer {

  /** Of those that have ended, some of which wait for their commit beside each other. */
  private static final int KEPT = 64;

  /** By table and instant, which other tables may have as well. */
  private static final Map<Pair<StoragePath, String>, ClusteringReport> KNOWN = new HashMap<>();

  /** The eldest first. */
  private static final Queue<ClusteringReport> ENDED = new ArrayDeque<>();

  private final Map<String, Double> seconds = new LinkedHashMap<>();
  private final Map<String, Integer> readers = new TreeMap<>();
  private final QueryForecast forecast = new QueryForecast();
  private final boolean isLockedHereAlone;
  private long lastWritten;
  private long committed;

  private ClusteringReport(boolean isLockedHereAlone) {
    this.isLockedHereAlone = isLockedHereAlone;
  }

  /**
   * The report of a clustering this process ran; null when there is none.
   *
   * @param table its base path, as whoever ran the clustering spelled it
   */
  public static ClusteringReport of(String table, String instant) {
    synchronized (KNOWN) {
      return KNOWN.get(key(table, instant));
    }
  }

  /**
   * Makes the report of a clustering that begins.
   *
   * @param isLockedHereAlone as {@link #isLockedHereAlone} tells it
   */
  static ClusteringReport begin(String table, String instant, boolean isLockedHereAlone) {
    ClusteringReport report = new ClusteringReport(isLockedHereAlone);
    synchronized (KNOWN) {
      KNOWN.put(key(table, instant), report);
    }
    return report;
  }

  private static Pair<StoragePath, String> key(String table, String instant) {
    return Pair.of(new StoragePath(table), instant);
  }

  /** Tells that Hudi was given all to commit, or that the clustering has failed. */
  void end() {
    synchronized (KNOWN) {
      ENDED.add(this);
      if (ENDED.size() > KEPT) {
        KNOWN.values().remove(ENDED.remove());
      }
    }
  }

  /**
   * Seconds per phase, in the order of the phases, summed over groups; {@code commit} is what Hudi
   * did between the last group and {@link #committed}, its metadata table included.
   */
  public synchronized Map<String, Double> seconds() {
    Map<String, Double> phases = new LinkedHashMap<>(seconds);
    if (committed != 0) {
      phases.put("commit", (committed - lastWritten) / 1e9);
    }
    return phases;
  }

  /** Tells that Hudi has returned from the commit. */
  public synchronized void committed() {
    committed = System.nanoTime();
  }

  /** Tells that one more group was written and verified. */
  synchronized void written() {
    lastWritten = System.nanoTime();
  }

  /** How many groups each reader read: {@code vectorised} or {@code merging}. */
  public synchronized Map<String, Integer> readers() {
    return new TreeMap<>(readers);
  }

  synchronized void countReader(String reader) {
    readers.merge(reader, 1, Integer::sum);
  }

  /** Whether the lock keeps no other process out, as the table's store has none. */
  public boolean isLockedHereAlone() {
    return isLockedHereAlone;
  }

  /** What queries were foretold to read, as {@link QueryForecast#describe} tells it. */
  public List<String> forecast() {
    return forecast.describe();
  }

  QueryForecast ofQueries() {
    return forecast;
  }

  @Override
  public <V> V time(String phase, Supplier<V> work) {
    long start = System.nanoTime();
    try {
      return work.get();
    } finally {
      add(phase, (System.nanoTime() - start) / 1e9);
    }
  }

  private synchronized void add(String phase, double spent) {
    seconds.merge(phase, spent, Double::sum);
  }
}
