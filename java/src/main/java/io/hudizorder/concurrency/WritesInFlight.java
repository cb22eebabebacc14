package io.hudizorder.concurrency;

import static io.hudizorder.hudi.Instants.timeOf;
import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.concurrency.WriteInFlight.Effect;
import io.hudizorder.concurrency.WriteInFlight.Wait;
import io.hudizorder.option.OwnOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.config.HoodieWriteConfig;

/** All pending instants of others beside a clustering, and the wait for those that tell nothing. */
final class WritesInFlight {

  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);

  /** What one reading of the timeline must not show. */
  interface Look {
    void at(HoodieTableMetaClient now);
  }

  private final HoodieTableMetaClient table;
  private final HoodieWriteConfig config;
  private final String instant;
  private final Rollbacks rollbacks;
  private final Duration patience;

  /**
   * @param instant of the clustering
   * @param rollbacks by which some are undone
   * @param patience how long to wait
   */
  WritesInFlight(
      HoodieTableMetaClient table,
      HoodieWriteConfig config,
      String instant,
      Rollbacks rollbacks,
      Duration patience) {
    this.table = table;
    this.config = config;
    this.instant = instant;
    this.rollbacks = rollbacks;
    this.patience = patience;
  }

  /** When a wait that begins now is to be over. */
  long deadline() {
    return System.nanoTime() + patience.toNanos();
  }

  /**
   * Waits for the end of those that the first reading shows.
   *
   * @param planned when the plan was there to be seen, in milliseconds of the storage's clock
   * @param look at each reading, so at one that shows all of them as ended
   * @param later how long to wait for those that begin during the wait
   * @throws UnendedWriteException when it has lasted for too long
   */
  void await(
      FileGroups groups,
      long planned,
      Look look,
      Function<WriteInFlight, Wait> later,
      long deadline,
      HoodieTableMetaClient first) {
    Set<String> known = new HashSet<>();
    for (HoodieTableMetaClient now = first; true; now = HoodieTableMetaClient.reload(table)) {
      look.at(now);
      List<WriteInFlight> unknown = unknown(now, groups, planned);
      if (now == first) {
        unknown.forEach(write -> known.add(write.time()));
      }
      boolean isOver = System.nanoTime() > deadline;
      Wait least = isOver ? Wait.TO_ITS_END : Wait.WHILE_THERE_IS_TIME;
      unknown.removeIf(
          write -> !known.contains(write.time()) && later.apply(write).compareTo(least) < 0);
      if (unknown.isEmpty()) {
        return;
      }
      String time = unknown.get(0).time();
      if (isOver) {
        throw new UnendedWriteException(
            String.format(
                "write %s has not ended within %d seconds, and may be changing what the clustering"
                    + " replaces; if its writer is dead, let the next write roll it back, or raise"
                    + " '%s'",
                time, patience.toSeconds(), OwnOptions.WAIT_FOR_WRITERS.key()));
      }
      sleep(time);
    }
  }

  /**
   * @throws ConcurrentWriteException when one says that it touches file groups
   */
  void refuseCertain(HoodieTableMetaClient now, FileGroups groups, long planned) {
    unknown(now, groups, planned);
  }

  /**
   * Returns the writes that may touch file groups.
   *
   * @throws ConcurrentWriteException when one says that it does
   */
  List<WriteInFlight> unknown(HoodieTableMetaClient now, FileGroups groups, long planned) {
    List<WriteInFlight> unknown = new ArrayList<>();
    Set<String> undone = rollbacks.undone(now);
    for (HoodieInstant pending : timelineOf(now).filterInflightsAndRequested().getInstants()) {
      if (timeOf(pending).equals(instant) || undone.contains(timeOf(pending))) {
        continue;
      }
      WriteInFlight write = new WriteInFlight(now, config, pending);
      Effect effect = write.effect(groups, planned);
      if (effect == Effect.CERTAIN) {
        throw new ConcurrentWriteException(
            String.format(
                "write %s, which is under way, is changing what it is to replace", write.time()));
      }
      if (effect == Effect.UNKNOWN) {
        unknown.add(write);
      }
    }
    return unknown;
  }

  private static void sleep(String write) {
    try {
      Thread.sleep(BETWEEN_LOOKS.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnendedWriteException("the wait for write " + write + " was interrupted");
    }
  }
}
