package io.hudizorder.hudi;

import static io.hudizorder.hudi.Instants.commitsOf;
import static io.hudizorder.hudi.Instants.timeOf;
import static io.hudizorder.hudi.Instants.timelineOf;

import java.io.IOException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.function.Function;
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

  private static final DateTimeFormatter FORM = DateTimeFormatter.ofPattern("yyyyMMddHHmmssSSS");

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
    FormatCalls format = FormatCalls.here();
    return table
        .getStorage()
        .getPathInfo(format.file(table, format.requested(table, action, time)))
        .getModificationTime();
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
   * A file's time in the zone of the table's instants.
   *
   * @param ofFile as Hudi has it
   */
  public static String inZoneOf(HoodieTableMetaClient table, String ofFile) {
    return LocalDateTime.parse(ofFile, FORM)
        .atZone(ZoneId.systemDefault())
        .withZoneSameInstant(Instants.zoneOf(table))
        .format(FORM);
  }

  /**
   * What {@link FormatCalls#completedSince} is of such a table.
   *
   * @param ofFile the time of an instant's file, as Hudi has it
   */
  public static List<HoodieInstant> completedSince(
      HoodieTableMetaClient table, String clustering, Function<HoodieInstant, String> ofFile)
      throws IOException {
    long planned = requestedAt(table, HoodieTimeline.REPLACE_COMMIT_ACTION, clustering);
    String since = Instant.ofEpochMilli(planned).atZone(ZoneId.systemDefault()).format(FORM);
    return commitsOf(timelineOf(table))
        .filterCompletedInstants()
        .getInstantsAsStream()
        .filter(commit -> !timeOf(commit).equals(clustering))
        .filter(commit -> ofFile.apply(commit).compareTo(since) >= 0)
        .collect(Collectors.toList());
  }
}
