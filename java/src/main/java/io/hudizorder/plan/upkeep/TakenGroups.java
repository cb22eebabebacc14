package io.hudizorder.plan.upkeep;

import java.io.Serializable;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.common.model.CompactionOperation;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.table.view.SyncableFileSystemView;
import org.apache.hudi.common.util.collection.Pair;

/**
 * The file groups of which no plan can be made, for one of another clustering has them, or a
 * compaction. A view tells those of the whole table at each question: it is asked once for a plan,
 * and what it tells travels into the tasks that plan.
 */
public final class TakenGroups implements Serializable {

  private static final long serialVersionUID = 1L;

  private final HashSet<HoodieFileGroupId> clustered;
  private final HashSet<HoodieFileGroupId> compacted;
  private final HashSet<String> partitions;

  private TakenGroups(Set<HoodieFileGroupId> clustered, Set<HoodieFileGroupId> compacted) {
    this.clustered = new HashSet<>(clustered);
    this.compacted = new HashSet<>(compacted);
    this.partitions =
        Stream.concat(clustered.stream(), compacted.stream())
            .map(HoodieFileGroupId::getPartitionPath)
            .collect(Collectors.toCollection(HashSet::new));
  }

  /** Asks the view of a table. */
  public static TakenGroups of(SyncableFileSystemView view) {
    return new TakenGroups(
        view.getFileGroupsInPendingClustering().map(Pair::getKey).collect(Collectors.toSet()),
        Stream.concat(
                view.getPendingCompactionOperations(), view.getPendingLogCompactionOperations())
            .map(Pair::getValue)
            .map(CompactionOperation::getFileGroupId)
            .collect(Collectors.toSet()));
  }

  /** Whether a slice is of one of them. */
  public boolean contains(FileSlice slice) {
    HoodieFileGroupId group = slice.getFileGroupId();
    return clustered.contains(group) || compacted.contains(group);
  }

  /** The partitions that they lie in. */
  public Set<String> partitions() {
    return Collections.unmodifiableSet(partitions);
  }

  /** Why Hudi gives a plan no choice of a slice. */
  FileReason reason(FileSlice slice) {
    if (clustered.contains(slice.getFileGroupId())) {
      return FileReason.PENDING_CLUSTERING;
    }
    return compacted.contains(slice.getFileGroupId())
        ? FileReason.PENDING_COMPACTION
        : FileReason.SMALL_FILE_LIMIT;
  }
}
