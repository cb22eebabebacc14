package io.hudizorder;

import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieActiveTimeline;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.Option;

/** A clustering plan on the timeline that has not written anything yet. */
final class PendingPlan {

  private PendingPlan() {}

  /** Takes the plan's inflight and requested instants off the timeline. */
  static void remove(HoodieTableMetaClient metaClient, String instant) {
    HoodieActiveTimeline timeline = metaClient.reloadActiveTimeline();
    Option<HoodieInstant> inflight =
        ClusteringUtils.getInflightClusteringInstant(
            instant, timeline, metaClient.getInstantGenerator());
    Option<HoodieInstant> requested =
        ClusteringUtils.getRequestedClusteringInstant(
            instant, timeline, metaClient.getInstantGenerator());
    // The inflight instant first: without it the plan is merely pending, whatever happens next.
    inflight.ifPresent(timeline::deletePending);
    requested.ifPresent(timeline::deletePending);
    metaClient.reloadActiveTimeline();
  }
}
