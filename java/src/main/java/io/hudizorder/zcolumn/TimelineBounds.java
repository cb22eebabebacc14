package io.hudizorder.zcolumn;

import static org.apache.hudi.common.model.WriteOperationType.ALTER_SCHEMA;
import static org.apache.hudi.common.model.WriteOperationType.CLUSTER;
import static org.apache.hudi.common.model.WriteOperationType.COMPACT;
import static org.apache.hudi.common.model.WriteOperationType.DELETE;
import static org.apache.hudi.common.model.WriteOperationType.DELETE_PARTITION;
import static org.apache.hudi.common.model.WriteOperationType.DELETE_PREPPED;
import static org.apache.hudi.common.model.WriteOperationType.INDEX;
import static org.apache.hudi.common.model.WriteOperationType.LOG_COMPACT;

import io.hudizorder.spark.zcolumn.WordBounds;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.WriteOperationType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.exception.HoodieIOException;
import org.apache.hudi.internal.schema.utils.SerDeHelper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bounds of all rows of a snapshot, as its commits tell them: known when every completed write
 * of the timeline has its record or is within that of another. A write without one, by a writer
 * that knows nothing of z-columns, leaves them unknown, and the z-column is then not to be asked.
 */
final class TimelineBounds {

  private static final Logger LOG = LoggerFactory.getLogger(TimelineBounds.class);

  /** What leaves rows as they are, or takes some away. */
  private static final Set<WriteOperationType> KEEPS_ROWS =
      EnumSet.of(CLUSTER, COMPACT, LOG_COMPACT, DELETE, DELETE_PREPPED, DELETE_PARTITION, INDEX);

  private static final int MOST_CACHED = 1_000;

  /** Commits never change: by table, instant and time of completion. */
  private static final Map<String, Commit> CACHE =
      Collections.synchronizedMap(
          new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Commit> eldest) {
              return size() > MOST_CACHED;
            }
          });

  private final HoodieTableMetaClient table;
  private final ZColumnDefinition definition;
  private final HoodieTimeline timeline;
  private final Optional<String> unbroken;

  /** Those of a snapshot, which is an active timeline that the client has loaded. */
  TimelineBounds(
      HoodieTableMetaClient table, HoodieTimeline snapshot, ZColumnDefinition definition) {
    this.table = table;
    this.definition = definition;
    this.timeline = snapshot.getWriteTimeline();
    this.unbroken = unbroken(timeline, snapshot.getSavePointTimeline());
  }

  /**
   * The first instant since which the timeline has every write. Instants are archived from the
   * oldest on, and those of savepoints may stay: between them others may have gone.
   */
  private static Optional<String> unbroken(HoodieTimeline timeline, HoodieTimeline savepoints) {
    Set<String> saved =
        savepoints
            .getInstantsAsStream()
            .map(HoodieInstant::requestedTime)
            .collect(Collectors.toSet());
    return timeline
        .getInstantsAsStream()
        .map(HoodieInstant::requestedTime)
        .filter(instant -> !saved.contains(instant))
        .findFirst()
        .or(
            () ->
                Optional.ofNullable(timeline.lastInstant().orElse(null))
                    .map(HoodieInstant::requestedTime));
  }

  /** Whether nothing was ever written. */
  static boolean isUnwritten(HoodieTableMetaClient table) {
    return table.getActiveTimeline().getCommitsTimeline().filterCompletedInstants().empty();
  }

  /** The bounds for a query: empty also when a commit cannot be read, as it was archived since. */
  Optional<WordBounds> boundsIfReadable() {
    try {
      return bounds();
    } catch (HoodieIOException e) {
      LOG.info("The z-column of '{}' is not asked: {}", table.getBasePath(), e.getMessage());
      return Optional.empty();
    }
  }

  /** The bounds of all rows; empty when they are not known. */
  Optional<WordBounds> bounds() {
    WordBounds bounds = new WordBounds(definition.columns().size());
    Set<String> within = new TreeSet<>();
    Set<String> alone = new TreeSet<>();
    Set<String> pending = new TreeSet<>();
    boolean sinceTheFirst = false;
    for (HoodieInstant instant : newestFirst()) {
      if (within.contains(instant.requestedTime())) {
        continue;
      }
      Commit commit = commit(instant);
      if (commit.record.isEmpty()) {
        if (!commit.keepsRows) {
          return Optional.empty();
        }
        continue;
      }
      CommitRecord record = commit.record.get();
      if (!record.isOf(definition)) {
        return Optional.empty();
      }
      bounds = bounds.union(record.own());
      if (record.earlier().isPresent()) {
        CommitRecord.Earlier earlier = record.earlier().get();
        bounds = bounds.union(earlier.bounds());
        within.addAll(earlier.completed());
        pending.addAll(earlier.pending());
        sinceTheFirst = sinceTheFirst || !mayBeFollowedByArchived(instant.requestedTime());
      } else {
        alone.add(instant.requestedTime());
      }
    }
    pending.removeAll(within);
    // The writer of one alone did not know what was before it, which may be archived by now.
    return sinceTheFirst
            && within.containsAll(alone)
            && pending.stream().noneMatch(this::mayBeArchived)
        ? Optional.of(bounds)
        : Optional.empty();
  }

  /** Whether writes that began after an instant may be completed, and archived by now. */
  private boolean mayBeFollowedByArchived(String instant) {
    boolean isBeforeAll =
        timeline
            .firstInstant()
            .map(first -> instant.compareTo(first.requestedTime()) < 0)
            .orElse(true);
    boolean isUnbroken = unbroken.map(first -> instant.compareTo(first) >= 0).orElse(false);
    // The archive is asked last, and seldom: a z-column's writes are mostly on the timeline.
    return isBeforeAll
        || !isUnbroken && !table.getArchivedTimeline(instant, false).getWriteTimeline().empty();
  }

  /** What a commit that is about to be made can say of those before; empty when it cannot. */
  Optional<CommitRecord.Earlier> earlier() {
    Set<String> completed =
        newestFirst().stream().map(HoodieInstant::requestedTime).collect(Collectors.toSet());
    Set<String> pending =
        timeline
            .filterInflightsAndRequested()
            .getInstantsAsStream()
            .map(HoodieInstant::requestedTime)
            .collect(Collectors.toSet());
    Optional<WordBounds> bounds =
        isUnwritten(table) ? Optional.of(new WordBounds(definition.columns().size())) : bounds();
    return bounds.map(known -> new CommitRecord.Earlier(known, completed, pending));
  }

  private Deque<HoodieInstant> newestFirst() {
    Deque<HoodieInstant> newest = new ArrayDeque<>();
    timeline.filterCompletedInstants().getInstantsAsStream().forEach(newest::addFirst);
    return newest;
  }

  /**
   * Whether an instant that was under way once is completed now and no longer on the timeline.
   * Another that has gone was rolled back.
   */
  private boolean mayBeArchived(String instant) {
    return !timeline.containsInstant(instant) && mayBeFollowedByArchived(instant);
  }

  private Commit commit(HoodieInstant instant) {
    String key =
        String.join(
            "|",
            table.getBasePath().toString(),
            instant.requestedTime(),
            instant.getCompletionTime());
    Commit known = CACHE.get(key);
    if (known == null) {
      known = read(instant); // twice at worst, and never under the cache's lock
      CACHE.put(key, known);
    }
    return known;
  }

  private Commit read(HoodieInstant instant) {
    try {
      HoodieCommitMetadata metadata = timeline.readCommitMetadata(instant);
      WriteOperationType operation = metadata.getOperationType();
      // With an internal schema columns may have been renamed; without, one was added.
      boolean addsColumns =
          operation == ALTER_SCHEMA && metadata.getMetadata(SerDeHelper.LATEST_SCHEMA) == null;
      return new Commit(
          addsColumns || KEEPS_ROWS.contains(operation),
          Optional.ofNullable(metadata.getMetadata(CommitRecord.KEY)).map(CommitRecord::parse));
    } catch (IOException e) {
      throw new HoodieIOException(
          String.format("Cannot read the commit '%s' of '%s'", instant, table.getBasePath()), e);
    }
  }

  /** What there is to know of one commit. */
  private static final class Commit {

    private final boolean keepsRows;
    private final Optional<CommitRecord> record;

    private Commit(boolean keepsRows, Optional<CommitRecord> record) {
      this.keepsRows = keepsRows;
      this.record = record;
    }
  }
}
