package io.hudizorder.concurrency;

import static io.hudizorder.hudi.Instants.timeOf;
import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.hudi.Instants;
import java.time.DateTimeException;
import java.util.OptionalLong;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;

/**
 * Whether anything may have changed since a clustering was planned, as far as a timeline tells:
 * nothing but an instant changes which files are a table's. To look at these themselves its
 * partitions are listed.
 */
final class QuietTimeline {

  /** How far clocks may be apart, and more than stores of whole seconds cut off a file's time. */
  private static final long CLOCKS_MS = 10_000;

  private QuietTimeline() {}

  /**
   * Whether all others, of whatever kind, have ended well before a clustering was requested. No
   * proof: of a clock that is further off, a later one may seem to have.
   */
  static boolean since(HoodieTableMetaClient now, String clustering) {
    try {
      // Empty of an hour by which clocks go back: later ones may have earlier times.
      OptionalLong requested = Instants.momentOf(clustering, Instants.zoneOf(now));
      return requested.isPresent()
          && timelineOf(now)
              .getInstantsAsStream()
              .filter(other -> !timeOf(other).equals(clustering))
              .allMatch(other -> hasEnded(now, other, clustering, requested.getAsLong()));
    } catch (DateTimeException unknown) {
      return false; // of a time in another form
    }
  }

  private static boolean hasEnded(
      HoodieTableMetaClient now, HoodieInstant other, String clustering, long requested) {
    return other.isCompleted()
        && timeOf(other).compareTo(clustering) < 0
        && FormatCalls.here().completedAt(now, other) < requested - CLOCKS_MS;
  }
}
