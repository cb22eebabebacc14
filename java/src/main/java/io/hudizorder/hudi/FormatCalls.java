package io.hudizorder.hudi;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.table.HoodieTable;

/**
 * The calls that changed with the table format of Hudi 1.0: instants have a second time, of their
 * completion, and files that a class names; plans tell where they leave something out; indexes have
 * definitions; the oldest tables are read alone.
 */
public interface FormatCalls {

  /** Those of the Hudi on the class path. */
  static FormatCalls here() {
    return HudiCalls.here().format();
  }

  // Tables

  /** The oldest version of a table that this Hudi writes to, or upgrades when it does. */
  int oldestWritten();

  // Instants

  /** When an action was requested, by which it is called. */
  String requestedTime(HoodieInstant instant);

  /** When a completed action was completed, in milliseconds. */
  long completedAt(HoodieTableMetaClient table, HoodieInstant completed);

  /** Whether a table tells of no completion but by the times of files, as those before 1.0 do. */
  boolean completesByFileTimes(HoodieTableMetaClient table);

  /** The time by which a compaction takes a completed commit, or leaves it. */
  String mergeTime(HoodieInstant commit);

  /** An instant as it was when it was requested. */
  HoodieInstant requested(HoodieTableMetaClient table, String action, String time);

  /** The file by which an instant is on the timeline. */
  StoragePath file(HoodieTableMetaClient table, HoodieInstant instant);

  /** The overwrites and clusterings under way or planned, as the timeline was read last. */
  HoodieTimeline pendingReplacements(HoodieTableMetaClient table);

  /** The instant of a clustering that somebody has begun to execute. */
  Option<HoodieInstant> inflightClustering(HoodieTableMetaClient table, String time);

  /** Takes an instant off the timeline that is requested or inflight. */
  void deletePending(HoodieTableMetaClient table, HoodieInstant instant);

  /** Whether an instant is a clustering, and no overwrite. */
  boolean isClustering(HoodieTableMetaClient table, HoodieInstant instant);

  /** Whether a replacement that is requested, and no more, is to delete whole partitions. */
  boolean deletesPartitions(HoodieTableMetaClient table, HoodieInstant requested)
      throws IOException;

  /** What a commit did, or is about to do; of another class where it replaces file groups. */
  HoodieCommitMetadata metadata(HoodieTableMetaClient table, HoodieInstant commit)
      throws IOException;

  /**
   * The writes, compactions and clusterings that were completed since a clustering was requested,
   * but itself; where times are told in seconds, also those of the same second.
   */
  List<HoodieInstant> completedSince(HoodieTableMetaClient table, String clustering)
      throws IOException;

  /**
   * The commits of a time, read anew: since 1.0 each has a file of its own, and the timeline shows
   * one of those whom Hudi lets commit who have executed the same plan.
   */
  List<HoodieInstant> commits(HoodieTableMetaClient table, String time) throws IOException;

  /** Whether a write may add to a log file that others have written. */
  boolean appendsToLogs(HoodieStorage storage);

  /** The time in the name of a log file: of its write, or of the slice that it belongs to. */
  String time(HoodieLogFile log);

  // Plans

  /**
   * Who makes plans of groups that a strategy of ours plans, where Hudi does not tell a strategy
   * who has a plan made; empty since 1.0, which tells it.
   */
  Option<Planner> planner();

  /** The partitions where the next plan has to look although nothing has changed since. */
  List<String> unfinished(HoodieClusteringPlan plan);

  /** Whether a plan tells of these: one that Hudi before 1.0 has made does not. */
  boolean tellsUnfinished(HoodieClusteringPlan plan);

  /** Stores those partitions, where plans look at what has changed alone. */
  void setUnfinished(HoodieClusteringPlan plan, List<String> partitions);

  /** The plans of the latest clusterings that are archived, the latest first. */
  Stream<HoodieClusteringPlan> archivedPlans(HoodieTableMetaClient table);

  // Indexes

  /** Whether the table has an index of records that each partition has for itself. */
  boolean isRecordIndexPartitioned(HoodieTableMetaClient table);

  /** Plans by Hudi's own strategy, with another who plans the groups of a partition. */
  interface Planner {

    Option<HoodieClusteringPlan> plan(
        HoodieTable<?, ?, ?, ?> table,
        HoodieEngineContext engine,
        HoodieWriteConfig config,
        GroupPlanner groups);
  }
}
