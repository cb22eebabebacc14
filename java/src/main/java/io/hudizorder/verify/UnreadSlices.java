package io.hudizorder.verify;

import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.hudi.ReplacedFileGroups;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hudi.common.fs.FSUtils;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.storage.StoragePath;

/** What a committed clustering has written and queries read no more, so that it may go. */
final class UnreadSlices {

  private UnreadSlices() {}

  /** Those of the written slices that queries read no more, or of which nobody can tell. */
  static List<FileSlice> of(HoodieTableMetaClient table, String instant, List<FileSlice> written)
      throws IOException {
    if (timelineOf(table).isBeforeTimelineStarts(instant)) {
      return written; // of a savepoint: what came after it may be archived
    }
    Set<HoodieFileGroupId> outdated = outdated(table, instant);
    return written.stream()
        .filter(slice -> outdated.contains(slice.getFileGroupId()))
        .collect(Collectors.toList());
  }

  /** The file groups that a later commit has replaced, or written a newer base file of. */
  private static Set<HoodieFileGroupId> outdated(HoodieTableMetaClient table, String instant)
      throws IOException {
    Set<HoodieFileGroupId> outdated = new HashSet<>();
    for (HoodieInstant later : FormatCalls.here().completedSince(table, instant)) {
      HoodieCommitMetadata commit = FormatCalls.here().metadata(table, later);
      commit.getWriteStats().stream()
          .filter(UnreadSlices::isOfBaseFile)
          .map(stat -> new HoodieFileGroupId(stat.getPartitionPath(), stat.getFileId()))
          .forEach(outdated::add);
      outdated.addAll(ReplacedFileGroups.of(commit));
    }
    return outdated;
  }

  private static boolean isOfBaseFile(HoodieWriteStat stat) {
    return stat.getPath() != null && !FSUtils.isLogFile(new StoragePath(stat.getPath()));
  }
}
