package io.hudizorder.hudi;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.model.HoodieTimelineTimeZone;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieInstantTimeGenerator;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.exception.HoodieIOException;
import org.apache.hudi.metadata.HoodieTableMetadata;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;

/** What every class asks that deals with instants. */
public final class Instants {

  private static final DateTimeFormatter FORM = DateTimeFormatter.ofPattern("yyyyMMddHHmmssSSS");

  private Instants() {}

  /** When an action was requested, by which it is called. */
  public static String timeOf(HoodieInstant instant) {
    return FormatCalls.here().requestedTime(instant);
  }

  /**
   * The time up to which a clustering reads log files: its own, or that of a completed write of a
   * writer whose clock is ahead, whose rows Hudi's readers would pass over. What is written since
   * the plan, a clustering gives way to.
   */
  public static String readUpTo(HoodieTableMetaClient table, String clustering) {
    return commitsOf(timelineOf(table))
        .filterCompletedInstants()
        .getInstantsAsStream()
        .map(Instants::timeOf)
        .filter(time -> time.compareTo(clustering) > 0)
        .max(Comparator.naturalOrder())
        .orElse(clustering);
  }

  /**
   * A time of now, for what is never put on the timeline. Hudi makes those of instants, so that no
   * two are the same on any machine: it waits as long as clocks may differ.
   */
  public static String now(HoodieTableMetaClient table) {
    return HoodieInstantTimeGenerator.getInstantFromTemporalAccessor(
        LocalDateTime.now(zoneOf(table)));
  }

  /**
   * The zone of a table's instants; Hudi has the process's own as it was when it was first asked.
   */
  public static ZoneId zoneOf(HoodieTableMetaClient table) {
    HoodieTimelineTimeZone zone = table.getTableConfig().getTimelineTimezone();
    return zone == HoodieTimelineTimeZone.UTC ? zone.getZoneId() : ZoneId.systemDefault();
  }

  /**
   * When the clocks of a zone showed an instant's time, in milliseconds; empty where they did so
   * twice, going back.
   *
   * @throws DateTimeException for a time in another form
   */
  public static OptionalLong momentOf(String time, ZoneId zone) {
    LocalDateTime shown = LocalDateTime.parse(time, FORM);
    List<ZoneOffset> offsets = zone.getRules().getValidOffsets(shown);
    return offsets.size() == 1
        ? OptionalLong.of(shown.toInstant(offsets.get(0)).toEpochMilli())
        : OptionalLong.empty();
  }

  /** A table's timeline as it was read last, by the type that is an interface in every version. */
  public static HoodieTimeline timelineOf(HoodieTableMetaClient table) {
    return table.getActiveTimeline();
  }

  /**
   * A table's metadata table, if it has one: each of its commits has the instant of a table's. One
   * that was deleted is named by the table's properties until the next write makes it anew.
   */
  public static Option<HoodieTableMetaClient> metadataTableOf(HoodieTableMetaClient table) {
    String path = HoodieTableMetadata.getMetadataTableBasePath(Folders.base(table).toString());
    // Hudi looks for its properties for 5 s before it says that it is not there.
    if (!table.getTableConfig().isMetadataTableAvailable() || !isTable(table.getStorage(), path)) {
      return Option.empty();
    }
    return Option.of(
        HoodieTableMetaClient.builder()
            .setBasePath(path)
            .setConf(table.getStorageConf().newInstance())
            .build());
  }

  private static boolean isTable(HoodieStorage storage, String path) {
    try {
      return storage.exists(new StoragePath(path, HoodieTableMetaClient.METAFOLDER_NAME));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot look for a table in '" + path + "'", e);
    }
  }

  /** Those of a timeline that write rows, or replace them, as they are called once completed. */
  public static HoodieTimeline commitsOf(HoodieTimeline timeline) {
    return ofActions(
        timeline,
        HoodieTimeline.COMMIT_ACTION,
        HoodieTimeline.DELTA_COMMIT_ACTION,
        HoodieTimeline.REPLACE_COMMIT_ACTION);
  }

  /** The completed clusterings on a table's timeline with their plans, the last first. */
  public static Stream<Pair<HoodieInstant, HoodieClusteringPlan>> lastClusterings(
      HoodieTableMetaClient table) {
    return timelineOf(table)
        .getCompletedReplaceTimeline()
        .getReverseOrderedInstants()
        .map(instant -> clustering(table, instant))
        .filter(Option::isPresent)
        .map(Option::get);
  }

  /** None of one that Hudi is archiving, of which it deletes the plan before the commit. */
  private static Option<Pair<HoodieInstant, HoodieClusteringPlan>> clustering(
      HoodieTableMetaClient table, HoodieInstant instant) {
    try {
      return ClusteringUtils.getClusteringPlan(table, instant);
    } catch (HoodieIOException e) {
      if (e.getIOException() instanceof FileNotFoundException) {
        return Option.empty();
      }
      throw e;
    }
  }

  /** Those of a timeline that are one of these actions. */
  public static HoodieTimeline ofActions(HoodieTimeline timeline, String... actions) {
    Set<String> wanted = Set.of(actions);
    return timeline.filter(instant -> wanted.contains(instant.getAction()));
  }
}
