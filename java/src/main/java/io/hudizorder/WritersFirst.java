package io.hudizorder;

import io.hudizorder.concurrency.ClusteringAttempt;
import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.hudi.Instants;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.stream.Stream;
import org.apache.hudi.client.transaction.PreferWriterConflictResolutionStrategy;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;

/**
 * Hudi's strategy by which a clustering or compaction gives way to writes, for {@code
 * hoodie.write.lock.conflict.resolution.strategy}, mended: Hudi's own fails in 1.0 and 1.1 beside a
 * write that is inflight, and in 1.2 takes a clustering of a table below version 8 for another's.
 * And none looks whether the clustering's plan is still there, or rolled back by now.
 */
public final class WritersFirst extends PreferWriterConflictResolutionStrategy {

  /** As Hudi since 1.2 asks. */
  @Override
  public Stream<HoodieInstant> getCandidateInstants(
      HoodieTableMetaClient table,
      HoodieInstant current,
      Option<HoodieInstant> last,
      Option<HoodieWriteConfig> config) {
    ClusteringAttempt.underLock(table, Instants.timeOf(current));
    return butItself(super.getCandidateInstants(table, current, last, config), current);
  }

  /** As Hudi before 1.2 asks. */
  @Override
  public Stream<HoodieInstant> getCandidateInstants(
      HoodieTableMetaClient table, HoodieInstant current, Option<HoodieInstant> last) {
    table.reloadActiveTimeline();
    ClusteringAttempt.underLock(table, Instants.timeOf(current));
    return isTableService(table, current)
        ? butItself(ofTableService(table, current), current)
        : super.getCandidateInstants(table, current, last);
  }

  private static boolean isTableService(HoodieTableMetaClient table, HoodieInstant current) {
    return current.getAction().equals(HoodieTimeline.COMPACTION_ACTION)
        || FormatCalls.here().isClustering(table, current);
  }

  /** Whatever was committed since it was requested, and the writes that are inflight. */
  private static Stream<HoodieInstant> ofTableService(
      HoodieTableMetaClient table, HoodieInstant current) {
    HoodieTimeline writes =
        Instants.ofActions(
            Instants.timelineOf(table),
            HoodieTimeline.COMMIT_ACTION,
            HoodieTimeline.DELTA_COMMIT_ACTION);
    try {
      return Stream.concat(
          FormatCalls.here().completedSince(table, Instants.timeOf(current)).stream(),
          writes.filterInflights().getInstantsAsStream());
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }

  private static Stream<HoodieInstant> butItself(
      Stream<HoodieInstant> candidates, HoodieInstant current) {
    String time = Instants.timeOf(current);
    return candidates.filter(candidate -> !Instants.timeOf(candidate).equals(time));
  }
}
