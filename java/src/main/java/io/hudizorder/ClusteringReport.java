package io.hudizorder;

import io.hudizorder.write.PhaseTimer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * What one clustering did, beyond what its commit records: seconds per phase, the reader of each
 * group, and what queries were foretold to read. Kept in the driver's memory for whoever ran it;
 * {@link #of} finds the latest ones.
 */
public final class ClusteringReport implements PhaseTimer {

  private static final int KEPT = 16;

  private static final Map<String, ClusteringReport> LATEST =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ClusteringReport> eldest) {
          return size() > KEPT;
        }
      };

  private final Map<String, Double> seconds = new LinkedHashMap<>();
  private final Map<String, Integer> readers = new TreeMap<>();
  private final QueryForecast forecast = new QueryForecast();
  private long lastWritten;
  private long committed;

  private ClusteringReport() {}

  /** The report of a clustering this process ran, by its instant; null when there is none. */
  public static ClusteringReport of(String instant) {
    synchronized (LATEST) {
      return LATEST.get(instant);
    }
  }

  static ClusteringReport begin(String instant) {
    ClusteringReport report = new ClusteringReport();
    synchronized (LATEST) {
      LATEST.put(instant, report);
    }
    return report;
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
