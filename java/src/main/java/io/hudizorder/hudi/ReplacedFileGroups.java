package io.hudizorder.hudi;

import java.util.HashSet;
import java.util.Set;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieReplaceCommitMetadata;

/** The file groups in whose place a commit has put others, or nothing. */
public final class ReplacedFileGroups {

  private ReplacedFileGroups() {}

  /** None of a commit that replaces nothing. */
  public static Set<HoodieFileGroupId> of(HoodieCommitMetadata commit) {
    Set<HoodieFileGroupId> replaced = new HashSet<>();
    if (commit instanceof HoodieReplaceCommitMetadata) {
      ((HoodieReplaceCommitMetadata) commit)
          .getPartitionToReplaceFileIds()
          .forEach(
              (partition, ids) ->
                  ids.forEach(id -> replaced.add(new HoodieFileGroupId(partition, id))));
    }
    return replaced;
  }
}
