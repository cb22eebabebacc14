package io.hudizorder;

import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.hudi.FormatCalls;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.common.fs.FSUtils;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.model.HoodieReplaceCommitMetadata;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;

/**
 * The files of a committed clustering that are no more, by whether the cleaner was to take them.
 */
final class MissingFiles {

  private final List<String> cleaned;
  private final List<String> lost;

  private MissingFiles(List<String> cleaned, List<String> lost) {
    this.cleaned = cleaned;
    this.lost = lost;
  }

  /**
   * @param replaced by the clustering, so that the cleaner was to take it some day
   * @param written by it, of which the cleaner takes only what queries read no more
   */
  static MissingFiles of(
      HoodieTableMetaClient table,
      String instant,
      List<FileSlice> replaced,
      List<FileSlice> written)
      throws IOException {
    Names names = new Names(table.getStorage());
    List<String> cleaned = names.missing(replaced);
    List<String> lost = names.missing(written);
    if (!lost.isEmpty()) {
      List<String> cleanable = names.missing(unread(table, instant, written));
      lost.removeAll(cleanable);
      cleaned.addAll(cleanable);
    }
    return new MissingFiles(cleaned, lost);
  }

  /** Those of the written slices that queries read no more, or of which nobody can tell. */
  private static List<FileSlice> unread(
      HoodieTableMetaClient table, String instant, List<FileSlice> written) throws IOException {
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
          .filter(MissingFiles::isOfBaseFile)
          .map(stat -> new HoodieFileGroupId(stat.getPartitionPath(), stat.getFileId()))
          .forEach(outdated::add);
      if (commit instanceof HoodieReplaceCommitMetadata) {
        ((HoodieReplaceCommitMetadata) commit)
            .getPartitionToReplaceFileIds()
            .forEach(
                (partition, ids) ->
                    ids.forEach(id -> outdated.add(new HoodieFileGroupId(partition, id))));
      }
    }
    return outdated;
  }

  private static boolean isOfBaseFile(HoodieWriteStat stat) {
    return stat.getPath() != null && !FSUtils.isLogFile(new StoragePath(stat.getPath()));
  }

  /** What the cleaner was free to remove. */
  List<String> cleaned() {
    return cleaned;
  }

  /** What the clustering wrote and queries would still read. */
  List<String> lost() {
    return lost;
  }

  boolean isEmpty() {
    return cleaned.isEmpty() && lost.isEmpty();
  }

  /** The names of files in storage; each folder is listed once. */
  private static final class Names {

    private final HoodieStorage storage;
    private final Map<StoragePath, Set<String>> byFolder = new HashMap<>();

    Names(HoodieStorage storage) {
      this.storage = storage;
    }

    List<String> missing(List<FileSlice> slices) throws IOException {
      List<String> missing = new ArrayList<>();
      for (FileSlice slice : slices) {
        for (StoragePath file : files(slice).collect(Collectors.toList())) {
          if (!in(file.getParent()).contains(file.getName())) {
            missing.add(file.toString());
          }
        }
      }
      return missing;
    }

    private static Stream<StoragePath> files(FileSlice slice) {
      Option<HoodieBaseFile> base = slice.getBaseFile();
      return Stream.concat(
          base.isPresent() ? Stream.of(base.get().getStoragePath()) : Stream.empty(),
          slice.getLogFiles().map(HoodieLogFile::getPath));
    }

    private Set<String> in(StoragePath folder) throws IOException {
      if (!byFolder.containsKey(folder)) {
        byFolder.put(folder, list(folder));
      }
      return byFolder.get(folder);
    }

    private Set<String> list(StoragePath folder) throws IOException {
      if (!storage.exists(folder)) {
        return Set.of();
      }
      return storage.listDirectEntries(folder).stream()
          .map(entry -> entry.getPath().getName())
          .collect(Collectors.toSet());
    }
  }
}
