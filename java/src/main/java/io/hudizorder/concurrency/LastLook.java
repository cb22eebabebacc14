package io.hudizorder.concurrency;

import io.hudizorder.option.OwnOptions;
import io.hudizorder.plan.Leftovers;
import io.hudizorder.plan.PendingPlan;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.BaseHoodieClient;
import org.apache.hudi.client.heartbeat.HeartbeatUtils;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.marker.MarkerType;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.table.HoodieSparkTable;

/**
 * The look after a clustering's commit, for what no look before it can see without a lock. A
 * clustering that hides what others have written is taken back. Whoever has committed looks; when
 * that process was killed before it had, whoever repairs the table.
 */
public final class LastLook {

  private final HoodieEngineContext engine;
  private final HoodieWriteConfig config;
  private final HoodieTableMetaClient table;
  private final HoodieClusteringPlan plan;
  private final String instant;
  private final ConcurrentWrites others;

  LastLook(
      HoodieEngineContext engine,
      HoodieWriteConfig config,
      HoodieTableMetaClient table,
      HoodieClusteringPlan plan,
      String instant,
      ConcurrentWrites others) {
    this.engine = engine;
    this.config = config;
    this.table = table;
    this.plan = plan;
    this.instant = instant;
    this.others = others;
  }

  /**
   * Looks in place of a dead process at what it has committed, or at what somebody has rolled back
   * since.
   *
   * @param client of the table
   * @return why the clustering was taken back; nothing if it hides nothing
   * @throws UnendedWriteException when nobody can tell yet
   * @throws HiddenRowsException when it cannot be taken back
   */
  public static String inPlaceOfDead(BaseHoodieClient client, String instant) {
    HoodieEngineContext engine = client.getEngineContext();
    HoodieWriteConfig config = client.getConfig();
    HoodieTableMetaClient table = HoodieSparkTable.create(config, engine).getMetaClient();
    Option<HoodieInstant> committed = PendingPlan.committed(table, instant);
    if (committed.isEmpty()) {
      return ""; // somebody else has just taken it back
    }
    HoodieClusteringPlan plan =
        ClusteringUtils.getClusteringPlan(table, committed.get()).get().getRight();
    ConcurrentWrites others =
        ConcurrentWrites.besideCommitted(
            engine, table, config, plan, committed.get(), patience(plan));
    try {
      others.requireNoneSince(table);
      return "";
    } catch (UnendedWriteException unknown) {
      throw untold(instant, unknown);
    } catch (ConcurrentWriteException found) {
      try {
        new LastLook(engine, config, table, plan, instant, others).takeBack(committed.get(), found);
      } catch (HiddenRowsException told) {
        if (!told.isTriedAgain()) { // to look once more would find the same
          HeartbeatUtils.deleteHeartbeatFile(table.getStorage(), config.getBasePath(), instant);
        }
        throw told;
      }
      return found.getMessage();
    }
  }

  private static UnendedWriteException untold(String instant, UnendedWriteException unknown) {
    return new UnendedWriteException(
        String.format(
            "Cannot tell yet whether clustering %s, which is committed, hides what others write:"
                + " %s. 'hudi-zorder repair' looks again, and so does the next 'cluster'",
            instant, unknown.getMessage()),
        unknown);
  }

  private static Duration patience(HoodieClusteringPlan plan) {
    Map<String, String> stored = plan.getStrategy().getStrategyParams();
    String key = OwnOptions.WAIT_FOR_WRITERS.key();
    String seconds = stored == null ? null : stored.get(key);
    return Duration.ofSeconds(
        Long.parseLong(seconds == null ? OwnOptions.WAIT_FOR_WRITERS.defaultValue() : seconds));
  }

  /**
   * Looks; takes away what is left of a clustering that is not committed, and not pending either.
   *
   * @throws ConcurrentWriteException when the clustering was taken back
   * @throws UnendedWriteException when nobody can tell yet; the clustering stays committed
   * @throws HiddenRowsException when it cannot be
   */
  void make() {
    HoodieTableMetaClient now = HoodieTableMetaClient.reload(table);
    Option<HoodieInstant> committed = PendingPlan.committed(now, instant);
    if (committed.isEmpty()) {
      // Hudi says itself why it did not commit, but may have told the metadata table by then.
      Leftovers.remove(HoodieSparkTable.create(config, engine), plan, instant);
      return;
    }
    try {
      others.requireNoneSince(now);
    } catch (UnendedWriteException unknown) {
      throw untold(instant, unknown);
    } catch (ConcurrentWriteException found) {
      takeBack(committed.get(), found);
      throw new ConcurrentWriteException(
          String.format(
              "Cannot keep clustering %s: %s. It was rolled back and changed nothing: cluster"
                  + " again",
              instant, found.getMessage()));
    }
  }

  /** Rolls back what is committed, although others have begun or ended since, on other files. */
  private void takeBack(HoodieInstant committed, ConcurrentWriteException found) {
    try {
      others.takeBack(committed, found);
    } catch (HiddenRowsException told) {
      throw told;
    } catch (RuntimeException failed) {
      throw new HiddenRowsException(
          String.format(
              "Cannot keep clustering %s: %s; nor could it be rolled back: %s. 'hudi-zorder"
                  + " repair' tries again, and so does the next 'cluster'",
              instant, found.getMessage(), failed.getMessage()),
          failed);
    }
    // By listing: in place of another, nobody can tell whether all markers are there.
    Properties settings = new Properties();
    settings.putAll(config.getProps());
    settings.setProperty(HoodieWriteConfig.ROLLBACK_USING_MARKERS_ENABLE.key(), "false");
    // These settings do not have the timeline server by which Hudi would delete them.
    settings.setProperty(HoodieWriteConfig.MARKERS_TYPE.key(), MarkerType.DIRECT.name());
    HoodieWriteConfig listing = HoodieWriteConfig.newBuilder().withProperties(settings).build();
    HoodieSparkTable<?> now = HoodieSparkTable.create(listing, engine);
    // As of others: who has rolled it back, or begun to, leaves it to be executed again.
    PendingPlan.cancel(now, listing, instant);
    // Of a plan that somebody else has taken off meanwhile, no rollback knows.
    Leftovers.remove(now, plan, instant);
  }
}
