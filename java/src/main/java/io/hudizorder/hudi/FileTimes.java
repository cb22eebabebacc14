package io.hudizorder.hudi;

import static io.hudizorder.hudi.Instants.commitsOf;
import static io.hudizorder.hudi.Instants.timeOf;
import static io.hudizorder.hudi.Instants.timelineOf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.ZoneId;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;

/**
 * When instants were requested and completed, by their files' own times, of the storage's clock.
 * Nothing else tells when those of tables of before Hudi 1.0 were completed. Hudi has these times
 * in the zone of the process that reads them, whatever zone the instants are in.
 */
public final class FileTimes {

  private FileTimes() {}

  /**
   * When an instant was requested, in milliseconds.
   *
   * @param instant in any of its states
   */
  public static long requestedAt(HoodieTableMetaClient table, HoodieInstant instant)
      throws IOException {
    return requestedAt(table, instant.getAction(), timeOf(instant));
  }

  private static long requestedAt(HoodieTableMetaClient table, String action, String time)
      throws IOException {
    return writtenAt(table, FormatCalls.here().requested(table, action, time));
  }

  /**
   * Whether Hudi tells by such times when instants of a table were completed, and has them in
   * another zone than the instants.
   */
  public static boolean areInAnotherZone(HoodieTableMetaClient table) {
    return FormatCalls.here().completesByFileTimes(table)
        && !Instants.zoneOf(table).getRules().equals(ZoneId.systemDefault().getRules());
  }

  /**
   * What {@link FormatCalls#completedAt} is, by the time that Hudi tells.
   *
   * @param told on the clocks of a zone, which show it twice in the hour by which they go back: of
   *     that hour the file tells
   */
  public static long completedAt(
      HoodieTableMetaClient table, HoodieInstant completed, String told, ZoneId zone) {
    OptionalLong moment = Instants.momentOf(told, zone);
    try {
      return moment.isPresent() ? moment.getAsLong() : writtenAt(table, completed);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read when '" + completed + "' was completed", e);
    }
  }

  /** What {@link FormatCalls#completedSince} is of such a table. */
  public static List<HoodieInstant> completedSince(HoodieTableMetaClient table, String clustering)
      throws IOException {
    FormatCalls format = FormatCalls.here();
    long planned = requestedAt(table, HoodieTimeline.REPLACE_COMMIT_ACTION, clustering);
    return commitsOf(timelineOf(table))
        .filterCompletedInstants()
        .getInstantsAsStream()
        .filter(commit -> !timeOf(commit).equals(clustering))
        .filter(commit -> format.completedAt(table, commit) >= planned)
        .collect(Collectors.toList());
  }

  private static long writtenAt(HoodieTableMetaClient table, HoodieInstant instant)
      throws IOException {
    return table
        .getStorage()
        .getPathInfo(FormatCalls.here().file(table, instant))
        .getModificationTime();
  }
}
