package io.hudizorder.concurrency;

import io.hudizorder.hudi.Folders;
import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.plan.Leftovers;
import io.hudizorder.plan.PendingPlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieLockException;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.table.HoodieTable;

/**
 * One execution of a plan beside others who write to the table. They come first: what they have
 * written to what the plan replaces makes it give up, before the commit and even after it, and
 * leaves neither plan nor file of it behind.
 */
public final class ClusteringAttempt {

  private final HoodieSparkEngineContext engine;
  private final HoodieTable<?, ?, ?, ?> table;
  private final HoodieWriteConfig config;
  private final HoodieClusteringPlan plan;
  private final String instant;
  private final ConcurrentWrites others;
  private final Heartbeat heart;

  /** Whether this attempt has shown it, and Hudi's own client does not. */
  private boolean beating;

  /** Why Hudi was kept from the commit, if it was. */
  private Optional<ConcurrentWriteException> refusal = Optional.empty();

  public ClusteringAttempt(
      HoodieSparkEngineContext engine,
      HoodieTable<?, ?, ?, ?> table,
      HoodieWriteConfig config,
      HoodieClusteringPlan plan,
      String instant,
      Duration patience) {
    this.engine = engine;
    this.table = table;
    this.config = config;
    this.plan = plan;
    this.instant = instant;
    this.others =
        ConcurrentWrites.beside(engine, table.getMetaClient(), config, plan, instant, patience);
    this.heart = new Heartbeat(table.getStorage(), config, instant);
  }

  /**
   * To be called before anything is written; shows others that the plan is being executed.
   *
   * @throws PlanInUseException when somebody else executes the plan
   * @throws ConcurrentWriteException when the work would be in vain; the plan is withdrawn
   */
  public void begin() {
    requireOnlyExecutor();
    yieldTo(others::requireNone);
  }

  /**
   * To be called when the beginning or the execution has failed: nobody executes it any more. Of a
   * plan that is pending all stays, for whoever tries again.
   */
  public void fail(Throwable reason) {
    try {
      Leftovers.remove(table, plan, instant);
    } catch (RuntimeException failed) {
      reason.addSuppressed(failed);
    } finally {
      stopBeating(reason);
    }
  }

  private void stopBeating(Throwable reason) {
    if (beating) {
      beating = false;
      try {
        heart.remove();
      } catch (RuntimeException failed) {
        reason.addSuppressed(failed);
      }
    }
  }

  /**
   * To be called when all is written and verified; what can be seen only after the commit is looked
   * for then, and reported to whoever asked for the commit.
   *
   * @throws PlanInUseException when somebody else has begun meanwhile; the plan is theirs
   * @throws ConcurrentWriteException when somebody else came first; the clustering is withdrawn
   */
  public void beforeCommit() {
    yieldTo(others::awaitNone);
    requireStillOurs(); // the wait may have been long
    if (beating) {
      // It is waited on: who finds that Hudi has committed all the same has the look made.
      heart.commitBegins();
    }
    AfterCommit.run(
        engine, config.getBasePath(), instant, this::underLock, this::afterCommit, heart::abandon);
  }

  /**
   * To be called under the lock under which an instant is about to be committed, before the
   * metadata table is told of its files; does nothing unless a thread commits that has executed a
   * clustering by this class.
   *
   * @param table as it is under the lock
   * @throws ConcurrentWriteException when somebody else came first while the lock was waited for
   */
  public static void underLock(HoodieTableMetaClient table, String instant) {
    AfterCommit.underLock(table, instant);
  }

  private void underLock(HoodieTableMetaClient now) {
    try {
      others.requireNotTakenBack(now);
    } catch (ConcurrentWriteException found) {
      refusal = Optional.of(found); // what is done about it needs the lock
      throw found;
    }
  }

  /** To be called by who knows that an execution of this process has failed, which Hudi may not. */
  public static void end(HoodieTableMetaClient table, String instant) {
    AfterCommit.cancel(Folders.base(table), instant);
    Leftovers.removeHeartbeat(table, instant);
  }

  /**
   * To be called by who can neither execute a plan of its own nor take it back: whoever comes next
   * finds it as that of somebody dead, instead of waiting for this process.
   */
  public static void giveUp(HoodieTableMetaClient table, String instant) {
    StoragePath base = Folders.base(table);
    AfterCommit.cancel(base, instant);
    try {
      Heartbeat.abandon(table.getStorage(), base, instant);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot give up the plan of '" + instant + "'", e);
    }
  }

  /**
   * To be called by who knows that an execution of this process is committed although it failed.
   *
   * @throws ConcurrentWriteException when the look after the commit has taken it back
   */
  public static void lookAfter(HoodieTableMetaClient table, String instant) {
    AfterCommit.now(Folders.base(table), instant);
  }

  private void requireOnlyExecutor() {
    if (HudiCalls.here().showsHeartbeat(config) && heart.isShownByHudi()) {
      return; // by the client that scheduled the plan; of any other it would not beat
    }
    beating = heart.start();
    if (!beating) {
      throw inUse(
          "What that one has written Hudi may have deleted by now: it gives up before its commit,"
              + " and the table can be clustered again");
    }
  }

  private void requireStillOurs() {
    if (beating && heart.isLost()) {
      throw inUse("That one goes on, and what this one has written is not committed");
    }
  }

  private PlanInUseException inUse(String then) {
    return new PlanInUseException(
        String.format(
            "Cannot execute clustering %s: another process executes it, by its heartbeat '%s'. %s",
            instant, heart.file(), then));
  }

  private void yieldTo(Runnable look) {
    try {
      look.run();
    } catch (ConcurrentWriteException found) {
      throw yielded(found);
    }
  }

  /** Gives way; returns what is told of it. */
  private ConcurrentWriteException yielded(ConcurrentWriteException found) {
    requireStillOurs();
    String become = withdraw(found);
    // Not before: another attempt would begin meanwhile, and write what nobody takes away.
    fail(found);
    ConcurrentWriteException yielded =
        found.told(
            String.format(
                "Cannot commit clustering %s: %s. Nothing was changed, and the plan %s: cluster"
                    + " again",
                instant, found.getMessage(), become));
    Arrays.stream(found.getSuppressed()).forEach(yielded::addSuppressed);
    return yielded;
  }

  /** Tells what has become of the plan; why it could not be withdrawn is kept with the reason. */
  private String withdraw(ConcurrentWriteException reason) {
    try {
      PendingPlan.withdraw(table, config, instant);
      return "was withdrawn";
    } catch (HoodieLockException locked) {
      locked.addSuppressed(reason);
      throw locked;
    } catch (RuntimeException failed) {
      // Such as where the other process deletes the same files at the same time.
      reason.addSuppressed(failed);
      return "is still pending, since it could not be withdrawn (" + failed.getMessage() + ")";
    }
  }

  /** Its heartbeat stays until it has looked: beside a commit, it says that nobody has. */
  private void afterCommit() {
    boolean looked = false;
    try {
      if (beating) {
        heart.commitEnded();
      }
      if (refusal.isPresent()) {
        throw yielded(refusal.get());
      }
      new LastLook(engine, config, table.getMetaClient(), plan, instant, others).make();
      looked = true;
    } catch (HiddenRowsException found) {
      looked = !found.isTriedAgain();
      throw found;
    } catch (ConcurrentWriteException found) {
      looked = !(found instanceof UnendedWriteException);
      throw found;
    } finally {
      if (beating && looked) {
        heart.remove();
      } else if (beating) {
        heart.abandon();
      }
    }
  }
}
