package io.hudizorder.plan;

import static io.hudizorder.hudi.Instants.metadataTableOf;
import static io.hudizorder.hudi.Instants.timeOf;
import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.hudi.Folders;
import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.hudi.HudiCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.apache.hudi.client.BaseHoodieClient;
import org.apache.hudi.common.config.DFSPropertiesConfiguration;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.WriteOperationType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.table.HoodieSparkTable;
import org.apache.hudi.table.HoodieTable;

/** A clustering's way back: from committed to pending, and from pending to nothing. */
public final class PendingPlan {

  /** To Hudi, that whoever calls holds the table's lock. */
  private static final boolean LOCKED = true;

  private PendingPlan() {}

  /** Makes the plan what it was before somebody tried to execute it: requested, and no more. */
  public static void release(
      HoodieTableMetaClient table, HoodieWriteConfig config, String instant) {
    underLock(
        table,
        config,
        () -> {
          table.reloadActiveTimeline();
          deleteInflight(table, instant);
        });
  }

  /** Takes the plan off the timeline. */
  public static void remove(HoodieTableMetaClient table, HoodieWriteConfig config, String instant) {
    underLock(table, config, () -> deletePlan(table, instant));
  }

  private static void deletePlan(HoodieTableMetaClient table, String instant) {
    table.reloadActiveTimeline();
    Option<HoodieInstant> requested = requested(table, instant);
    // The inflight instant first: without it the plan is merely pending, whatever happens.
    deleteInflight(table, instant);
    requested.ifPresent(plan -> FormatCalls.here().deletePending(table, plan));
  }

  /**
   * Takes the plan off the timeline, and away whatever an execution of this process has left:
   * files, markers, and what the metadata table has of them. Where it is not inflight by now,
   * others have done so, or committed it; rollbacks of it that others have begun are theirs, who
   * may live.
   */
  public static void withdraw(
      HoodieTable<?, ?, ?, ?> table, HoodieWriteConfig config, String instant) {
    HoodieTableMetaClient metaClient = table.getMetaClient();
    takeBackHalfOfMetadata(metaClient, config, instant);
    underLock(
        metaClient,
        config,
        () ->
            inflight(metaClient, instant)
                .ifPresent(
                    inflight -> {
                      rollBack(table, requestRollback(table, config, inflight), inflight);
                      deletePlan(metaClient, instant);
                    }));
  }

  /**
   * The same of a plan that others have made or executed, and of which there may be no more.
   *
   * @param client of the table
   * @throws HoodieClusteringException when it is committed by now
   */
  public static void cancel(BaseHoodieClient client, String instant) {
    HoodieWriteConfig config = client.getConfig();
    HoodieSparkTable<?> table = HoodieSparkTable.create(config, client.getEngineContext());
    cancel(table, config, instant);
    if (committed(table.getMetaClient(), instant).isPresent()) {
      throw new HoodieClusteringException(
          String.format(
              "Cannot cancel clustering %s: it was committed just before; history() shows it",
              instant));
    }
  }

  /**
   * The same, unless it is committed by now. Rollbacks of it are gone on with that somebody has
   * begun who died. All of it is done under the lock under which the plan was seen to be pending:
   * Hudi's own way goes by what it has read before it waited for the lock, and deletes what is
   * committed by then, and its plan. Who waits for the lock to commit finds no plan, or takes back
   * afterwards what the metadata table has by then.
   */
  public static void cancel(
      HoodieTable<?, ?, ?, ?> table, HoodieWriteConfig config, String instant) {
    HoodieTableMetaClient metaClient = table.getMetaClient();
    takeBackHalfOfMetadata(metaClient, config, instant);
    underLock(
        metaClient,
        config,
        () -> {
          inflight(metaClient, instant).ifPresent(inflight -> rollBackAll(table, config, inflight));
          deletePlan(metaClient, instant);
        });
  }

  private static Option<HoodieInstant> inflight(HoodieTableMetaClient table, String instant) {
    table.reloadActiveTimeline();
    return FormatCalls.here().inflightClustering(table, instant);
  }

  /** Under the lock; goes on with the rollbacks of it, too, that somebody has begun. */
  static void rollBackAll(
      HoodieTable<?, ?, ?, ?> table, HoodieWriteConfig config, HoodieInstant undone) {
    // What is written since these were planned is in a plan of our own.
    List<HoodieInstant> begun = RollbackPlans.begun(table.getMetaClient(), timeOf(undone));
    rollBack(table, requestRollback(table, config, undone), undone);
    begun.forEach(rollback -> rollBack(table, timeOf(rollback), undone));
  }

  private static void rollBack(
      HoodieTable<?, ?, ?, ?> table, String rollback, HoodieInstant undone) {
    table.rollback(table.getContext(), rollback, undone, false, LOCKED);
  }

  private static String requestRollback(
      HoodieTable<?, ?, ?, ?> table, HoodieWriteConfig config, HoodieInstant undone) {
    String time = HudiCalls.here().newInstant(table.getMetaClient());
    table.scheduleRollback(
        table.getContext(), time, undone, false, config.shouldRollbackUsingMarkers(), false);
    return time;
  }

  /**
   * Makes a committed clustering a pending one again, if a look allows it that is taken under the
   * same lock.
   *
   * @return what the look said
   */
  public static boolean takeBack(
      HoodieTableMetaClient table, HoodieWriteConfig config, String instant, BooleanSupplier look) {
    AtomicBoolean allowed = new AtomicBoolean();
    underLock(
        table,
        config,
        () -> {
          allowed.set(look.getAsBoolean());
          if (allowed.get()) {
            deleteCompleted(table, instant);
          }
        });
    return allowed.get();
  }

  /**
   * The instant that has the plan, requested or inflight by now, on the timeline that was read
   * last: Hudi before 1.1 finds none of a plan that is inflight.
   */
  public static Option<HoodieInstant> requested(HoodieTableMetaClient table, String instant) {
    FormatCalls hudi = FormatCalls.here();
    return Option.fromJavaOptional(
        hudi.pendingReplacements(table)
            .getInstantsAsStream()
            .filter(pending -> timeOf(pending).equals(instant))
            .findFirst()
            .map(pending -> hudi.requested(table, pending.getAction(), instant)));
  }

  /** The instant by which a clustering is committed, on the timeline that was read last. */
  public static Option<HoodieInstant> committed(HoodieTableMetaClient table, String instant) {
    return Option.fromJavaOptional(
        timelineOf(table)
            .getCompletedReplaceTimeline()
            .getInstantsAsStream()
            .filter(commit -> timeOf(commit).equals(instant))
            .findFirst());
  }

  /** All of them, read anew: Hudi lets everybody commit who executes a plan. */
  public static List<HoodieInstant> commits(HoodieTableMetaClient table, String instant) {
    try {
      return FormatCalls.here().commits(table, instant);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the commits of '" + instant + "'", e);
    }
  }

  /**
   * Makes a clustering inflight again whose commit Hudi could not write, and shows all the same;
   * one that is whole under the lock stays, for its executor has written it meanwhile.
   *
   * @param settings those of the lock: a client, which reads the latest commit, nobody can make
   */
  public static void takeBackHalf(
      HoodieTableMetaClient table, Map<String, String> settings, String instant) {
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder()
            .withPath(Folders.base(table).toString())
            .withProperties(DFSPropertiesConfiguration.getGlobalProps())
            .withProps(settings)
            .build();
    underLock(
        table,
        config,
        () -> {
          if (commits(table, instant).stream().anyMatch(commit -> !isWhole(table, commit))) {
            deleteCompleted(table, instant);
          }
        });
  }

  /**
   * Makes the metadata table's commit of a pending plan inflight again if Hudi could not write it
   * whole: to roll it back, Hudi reads it.
   */
  public static void takeBackHalfOfMetadata(
      HoodieTableMetaClient table, HoodieWriteConfig config, String instant) {
    underLock(
        table,
        config,
        () -> {
          table.reloadActiveTimeline();
          if (requested(table, instant).isPresent()) {
            metadataTableOf(table).ifPresent(metadata -> deleteHalf(metadata, instant));
          }
        });
  }

  private static void deleteHalf(HoodieTableMetaClient metadata, String instant) {
    timelineOf(metadata)
        .filterCompletedInstants()
        .getInstantsAsStream()
        .filter(commit -> timeOf(commit).equals(instant) && !isReadable(metadata, commit))
        .forEach(commit -> delete(metadata, commit));
  }

  /** Were it whole, it would be rolled back all the same. */
  private static boolean isReadable(HoodieTableMetaClient table, HoodieInstant commit) {
    return content(table, commit).isPresent();
  }

  /** Whether a commit says what it did; Hudi reads an empty one as well, which does not. */
  private static boolean isWhole(HoodieTableMetaClient table, HoodieInstant commit) {
    WriteOperationType operation =
        content(table, commit)
            .map(HoodieCommitMetadata::getOperationType)
            .orElse(WriteOperationType.UNKNOWN);
    return operation != WriteOperationType.UNKNOWN;
  }

  private static Option<HoodieCommitMetadata> content(
      HoodieTableMetaClient table, HoodieInstant commit) {
    try {
      return Option.of(FormatCalls.here().metadata(table, commit));
    } catch (IOException | RuntimeException e) {
      return Option.empty();
    }
  }

  /** Not by Hudi's own way back, which makes another pending instant beside the plan's. */
  private static void deleteCompleted(HoodieTableMetaClient table, String instant) {
    metadataTableOf(table)
        .ifPresent(
            metadata ->
                // One stays for the rollback, which takes away what all of them have written.
                commits(metadata, instant).stream()
                    .skip(1)
                    .forEach(commit -> delete(metadata, commit)));
    commits(table, instant).forEach(commit -> delete(table, commit));
  }

  private static void delete(HoodieTableMetaClient table, HoodieInstant commit) {
    StoragePath file = FormatCalls.here().file(table, commit);
    try {
      if (!table.getStorage().deleteFile(file)) {
        throw new IOException("storage did not delete it");
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot take back the commit '" + file.getName() + "'", e);
    }
  }

  private static void deleteInflight(HoodieTableMetaClient table, String instant) {
    FormatCalls hudi = FormatCalls.here();
    hudi.inflightClustering(table, instant)
        .ifPresent(inflight -> hudi.deletePending(table, inflight));
  }

  static void underLock(HoodieTableMetaClient table, HoodieWriteConfig config, Runnable change) {
    HudiCalls.here().underLock(config, table.getStorage(), change);
    table.reloadActiveTimeline();
  }
}
