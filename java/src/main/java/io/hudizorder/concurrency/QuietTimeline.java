package io.hudizorder.concurrency;

import static io.hudizorder.hudi.Instants.timeOf;
import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.hudi.FormatCalls;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;

/**
 * Whether anything may have changed since a clustering was planned, as far as a timeline tells:
 * nothing but an instant changes which files are a table's. To look at these themselves its
 * partitions are listed.
 */
final class QuietTimeline {

  private static final DateTimeFormatter FORM = DateTimeFormatter.ofPattern("yyyyMMddHHmmssSSS");

  /** How far clocks may be apart, and more than stores of whole seconds cut off a file's time. */
  private static final Duration CLOCKS = Duration.ofSeconds(10);

  private QuietTimeline() {}

  /**
   * Whether all others, of whatever kind, have ended well before a clustering was requested. No
   * proof: of a clock that is further off, a later one may seem to have.
   */
  static boolean since(HoodieTableMetaClient now, String clustering) {
    try {
      String before = LocalDateTime.parse(clustering, FORM).minus(CLOCKS).format(FORM);
      return timelineOf(now)
          .getInstantsAsStream()
          .filter(other -> !timeOf(other).equals(clustering))
          .allMatch(other -> hasEnded(now, other, before));
    } catch (DateTimeException unknown) {
      return false; // of a time in another form
    }
  }

  private static boolean hasEnded(HoodieTableMetaClient now, HoodieInstant other, String before) {
    return other.isCompleted()
        && timeOf(other).compareTo(before) < 0
        && FormatCalls.here().completedAt(now, other).compareTo(before) < 0;
  }
}
