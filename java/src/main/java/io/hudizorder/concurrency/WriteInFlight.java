package io.hudizorder.concurrency;

import static io.hudizorder.hudi.Instants.commitsOf;
import static io.hudizorder.hudi.Instants.timeOf;
import static io.hudizorder.hudi.Instants.timelineOf;
import static org.apache.hudi.common.model.WriteConcurrencyMode.OPTIMISTIC_CONCURRENCY_CONTROL;

import io.hudizorder.hudi.FileTimes;
import io.hudizorder.hudi.Folders;
import io.hudizorder.hudi.FormatCalls;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.client.clustering.update.strategy.SparkRejectUpdateStrategy;
import org.apache.hudi.client.heartbeat.HoodieHeartbeatClient;
import org.apache.hudi.common.heartbeat.HoodieHeartbeatUtils;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.WriteConcurrencyMode;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieIOException;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.StoragePathInfo;

/**
 * A pending instant of somebody else, and what it may do to the file groups that a clustering
 * replaces.
 *
 * <p>A writer creates its requested instant first and looks at the table after that: one whose
 * requested instant is younger than the plan's has seen the plan, and Hudi keeps it off the plan's
 * file groups, unless it is told not to. The times compared are the storage's own, of the two
 * files. Once a writer has chosen its file groups, its inflight instant names them, but for a bulk
 * insert's or Flink's, which is empty. Overwrites heed no plan, whenever they began, nor do
 * Flink's.
 */
public final class WriteInFlight {

  /** What it does to file groups. */
  enum Effect {
    NONE,
    /** Nobody can say before it has ended. */
    UNKNOWN,
    CERTAIN
  }

  /** How long a wait is for it. */
  enum Wait {
    NOT,
    WHILE_THERE_IS_TIME,
    TO_ITS_END
  }

  /** The folders of Flink's writers, by how their names begin. */
  private static final String CHECKPOINTS_OF_FLINK = "ckp_meta";

  /** Some stores tell times in seconds. */
  private static final long SAME_MOMENT_MS = 2_000;

  private final HoodieTableMetaClient table;
  private final HoodieWriteConfig config;
  private final HoodieInstant instant;

  /**
   * @param table with a timeline that has the instant
   */
  WriteInFlight(HoodieTableMetaClient table, HoodieWriteConfig config, HoodieInstant instant) {
    this.table = table;
    this.config = config;
    this.instant = instant;
  }

  /** The partitions of which writes in flight have said that they change files there. */
  public static Set<String> busyPartitions(HoodieTableMetaClient table, HoodieWriteConfig config) {
    return commitsOf(timelineOf(table))
        .filterInflights()
        .getInstantsAsStream()
        .flatMap(instant -> new WriteInFlight(table, config, instant).changedPartitions())
        .collect(Collectors.toSet());
  }

  private Stream<String> changedPartitions() {
    try {
      if (isDead() || !hasWorkload()) {
        return Stream.empty(); // as of a clustering, which has no workload
      }
      HoodieCommitMetadata workload = workload();
      boolean overwrites = instant.getAction().equals(HoodieTimeline.REPLACE_COMMIT_ACTION);
      return workload.getPartitionToWriteStats().entrySet().stream()
          .filter(partition -> overwrites || FileGroups.namesAny(partition.getValue()))
          .map(Map.Entry::getKey);
    } catch (IOException | HoodieIOException e) {
      return Stream.empty(); // it has just ended, and if not, the execution finds it in its way
    }
  }

  /**
   * @param groups what must not be written to
   * @param planned when the plan was there to be seen, by {@link FileTimes#requestedAt}
   */
  Effect effect(FileGroups groups, long planned) {
    try {
      switch (instant.getAction()) {
        case HoodieTimeline.COMMIT_ACTION:
        case HoodieTimeline.DELTA_COMMIT_ACTION:
          return ofWrite(groups, planned);
        case HoodieTimeline.REPLACE_COMMIT_ACTION:
          return isClustering() ? Effect.NONE : ofOverwrite();
        case HoodieTimeline.RESTORE_ACTION:
          return Effect.UNKNOWN;
        default: // other table services leave the rows as they are; of rollbacks see Rollbacks
          return Effect.NONE;
      }
    } catch (IOException e) {
      // It has just ended, and the next look tells how; or a full disk has left half of its
      // workload.
      return Effect.UNKNOWN;
    } catch (HoodieIOException e) {
      if (e.getCause() instanceof FileNotFoundException) {
        return Effect.UNKNOWN;
      }
      throw e;
    }
  }

  String time() {
    return timeOf(instant);
  }

  /**
   * How long to wait for it before a commit where it has begun during a wait and tells nothing yet,
   * as on many a table one follows another without a gap. What Hudi checks is failed by the commit,
   * so that there is a price to not waiting; but others are not to be without end.
   */
  Wait waitBesideOthers() {
    try {
      if (isCheckedByHudi()) {
        return tellsBeforeItsEnd() ? Wait.WHILE_THERE_IS_TIME : Wait.NOT;
      }
      if (isOfFlink()) {
        return Wait.NOT;
      }
      return mayDeleteNothing() ? Wait.WHILE_THERE_IS_TIME : Wait.TO_ITS_END;
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the sign of life of '" + instant + "'", e);
    }
  }

  /**
   * Whether Hudi holds it, under the table's lock, against what was committed since it began: it
   * fails by what it has not seen. So it is of writers that lock, who all beat; not of restores.
   */
  private boolean isCheckedByHudi() throws IOException {
    return config.getWriteConcurrencyMode() == OPTIMISTIC_CONCURRENCY_CONTROL
        && !instant.getAction().equals(HoodieTimeline.RESTORE_ACTION)
        && hasHeartbeat();
  }

  /** A bulk insert, which changes no file group, does not; an overwrite is waited for all along. */
  private boolean tellsBeforeItsEnd() {
    return !instant.isInflight()
        || instant.getAction().equals(HoodieTimeline.REPLACE_COMMIT_ACTION);
  }

  /**
   * Flink's writers ask for no plan, and name no file groups. They keep the states of their
   * checkpoints beside the timeline, in a folder for each writer.
   */
  private boolean isOfFlink() throws IOException {
    StoragePath folder =
        new StoragePath(config.getBasePath(), HoodieTableMetaClient.AUXILIARYFOLDER_NAME);
    HoodieStorage storage = table.getStorage();
    for (StoragePathInfo entry : Folders.entries(storage, folder)) {
      if (entry.getPath().getName().startsWith(CHECKPOINTS_OF_FLINK)
          && storage.exists(new StoragePath(entry.getPath(), timeOf(instant) + ".INFLIGHT"))) {
        return true;
      }
    }
    return false;
  }

  private Effect ofWrite(FileGroups groups, long planned) throws IOException {
    if (isDead()) {
      return Effect.NONE;
    }
    if (hasWorkload()) {
      return groups.touched(workload()).isEmpty() ? Effect.NONE : Effect.CERTAIN;
    }
    boolean sawPlan = FileTimes.requestedAt(table, instant) > planned + SAME_MOMENT_MS;
    return sawPlan && heedsPlans() ? Effect.NONE : Effect.UNKNOWN;
  }

  /**
   * With a lock writers may be told to heed no plan, and so they may without, as far as this
   * process knows how they are: soon they will say what they write.
   */
  private boolean heedsPlans() throws IOException {
    return config.getWriteConcurrencyMode() == WriteConcurrencyMode.SINGLE_WRITER
        && config
            .getClusteringUpdatesStrategyClass()
            .equals(SparkRejectUpdateStrategy.class.getName())
        && !isOfFlink();
  }

  /**
   * Its workload names the partitions that get rows. What SQL overwrites statically is more: all
   * partitions of what the statement names, those that get no row too.
   */
  private Effect ofOverwrite() throws IOException {
    return isDead() ? Effect.NONE : Effect.UNKNOWN;
  }

  private boolean isClustering() {
    return FormatCalls.here().isClustering(table, instant);
  }

  /**
   * A writer that beats, as all do beside others, cannot commit once its heart has stopped. Without
   * a heartbeat, what {@link #mayDeleteNothing} and has not begun for as long will not any more.
   */
  private boolean isDead() throws IOException {
    long interval =
        Math.max(config.getHoodieClientHeartbeatIntervalInMs(), Heartbeat.OF_WRITERS_MS);
    long tolerated = Heartbeat.toleratedMs(config, interval);
    if (hasHeartbeat()) {
      return HoodieHeartbeatUtils.isHeartbeatExpired(
          timeOf(instant), tolerated, table.getStorage(), config.getBasePath());
    }
    return mayDeleteNothing()
        && System.currentTimeMillis() - FileTimes.requestedAt(table, instant) >= tolerated;
  }

  private boolean hasHeartbeat() throws IOException {
    return HoodieHeartbeatClient.heartbeatExists(
        table.getStorage(), config.getBasePath(), timeOf(instant));
  }

  /**
   * With inline TTL a writer requests to delete expired partitions after each write, and leaves the
   * request to its next where none has expired.
   */
  private boolean mayDeleteNothing() {
    try {
      return instant.isRequested()
          && instant.getAction().equals(HoodieTimeline.REPLACE_COMMIT_ACTION)
          && FormatCalls.here().deletesPartitions(table, instant);
    } catch (IOException | HoodieIOException e) {
      return false; // it has just ended, or a full disk has left half of it
    }
  }

  private boolean hasWorkload() {
    return instant.isInflight() && !timelineOf(table).isEmpty(instant);
  }

  private HoodieCommitMetadata workload() throws IOException {
    return FormatCalls.here().metadata(table, instant);
  }
}
