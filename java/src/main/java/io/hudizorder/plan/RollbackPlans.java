package io.hudizorder.plan;

import static io.hudizorder.hudi.Instants.ofActions;
import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.hudi.FormatCalls;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hudi.avro.model.HoodieRollbackPlan;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.table.action.rollback.RollbackUtils;

/** What the rollbacks on a timeline are to take back. */
public final class RollbackPlans {

  private RollbackPlans() {}

  /**
   * The plan of a rollback; none of one that was requested and no more where it was not written
   * whole, as on a full disk, or has just been taken away. Nobody can execute it: Hudi passes it
   * over, and beside writers that lock it stays for ever.
   */
  public static Optional<HoodieRollbackPlan> read(
      HoodieTableMetaClient table, HoodieInstant rollback) {
    try {
      return Optional.of(RollbackUtils.getRollbackPlan(table, rollback));
    } catch (IOException | RuntimeException e) {
      if (rollback.isRequested() && !isStoragesFault(table, rollback)) {
        return Optional.empty();
      }
      IOException cause = e instanceof IOException ? (IOException) e : new IOException(e);
      throw new UncheckedIOException("Cannot read the rollback '" + rollback + "'", cause);
    }
  }

  private static boolean isStoragesFault(HoodieTableMetaClient table, HoodieInstant requested) {
    StoragePath file = FormatCalls.here().file(table, requested);
    try (InputStream content = table.getStorage().open(file)) {
      content.readAllBytes();
      return false;
    } catch (FileNotFoundException | ChecksumException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** The rollbacks of an instant that somebody has begun, as the timeline was read last. */
  static List<HoodieInstant> begun(HoodieTableMetaClient table, String instant) {
    return ofActions(timelineOf(table), HoodieTimeline.ROLLBACK_ACTION)
        .filterInflightsAndRequested()
        .getInstantsAsStream()
        .filter(rollback -> isOf(table, rollback, instant))
        .collect(Collectors.toList());
  }

  private static boolean isOf(HoodieTableMetaClient table, HoodieInstant rollback, String instant) {
    return read(table, rollback)
        .map(plan -> plan.getInstantToRollback().getCommitTime().equals(instant))
        .orElse(false);
  }
}
