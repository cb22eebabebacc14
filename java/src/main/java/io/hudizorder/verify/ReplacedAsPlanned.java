package io.hudizorder.verify;

import io.hudizorder.hudi.ReplacedFileGroups;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.util.ClusteringUtils;

/** Whether a committed clustering has replaced the file groups that its plan names. */
final class ReplacedAsPlanned {

  private final Set<HoodieFileGroupId> planned;
  private final Set<HoodieFileGroupId> replaced;

  /** Hudi's strategies may write to the file groups that they read, and replace none then. */
  private final Set<HoodieFileGroupId> written;

  ReplacedAsPlanned(HoodieClusteringPlan plan, HoodieCommitMetadata commit) {
    this.planned =
        ClusteringUtils.getFileGroupsFromClusteringPlan(plan)
            .collect(Collectors.toCollection(TreeSet::new));
    this.written =
        commit.getWriteStats().stream()
            .map(stat -> new HoodieFileGroupId(stat.getPartitionPath(), stat.getFileId()))
            .collect(Collectors.toSet());
    this.replaced = ReplacedFileGroups.of(commit);
  }

  /** Those of the plan that queries read as well as what was written in their place. */
  Collection<HoodieFileGroupId> kept() {
    Set<HoodieFileGroupId> gone = new HashSet<>(replaced);
    gone.addAll(written);
    return without(planned, gone);
  }

  /** Those that queries read no more, although nothing was written in their place. */
  Collection<HoodieFileGroupId> hidden() {
    return without(replaced, planned);
  }

  private static Collection<HoodieFileGroupId> without(
      Set<HoodieFileGroupId> groups, Set<HoodieFileGroupId> others) {
    Set<HoodieFileGroupId> left = new TreeSet<>(groups);
    left.removeAll(others);
    return left;
  }
}
