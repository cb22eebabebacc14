package io.hudizorder.concurrency;

import io.hudizorder.hudi.ReplacedFileGroups;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.apache.hudi.common.fs.FSUtils;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieFileGroup;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.table.view.HoodieTableFileSystemView;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.StringUtils;
import org.apache.hudi.storage.StoragePath;

/** File groups of a table, with those files of each that are known of. */
final class FileGroups {

  /** The names of each file group's known files. */
  private final Map<HoodieFileGroupId, Set<String>> files = new HashMap<>();

  private FileGroups() {}

  /** What a clustering replaces, with the files that it reads. */
  static FileGroups replacedBy(HoodieClusteringPlan plan) {
    FileGroups groups = new FileGroups();
    plan.getInputGroups().stream()
        .flatMap(group -> group.getSlices().stream())
        .forEach(
            slice ->
                groups.files.put(id(slice.getPartitionPath(), slice.getFileId()), names(slice)));
    return groups;
  }

  /** What commits wrote to, with the files that they wrote. */
  static FileGroups writtenBy(Stream<HoodieCommitMetadata> commits) {
    FileGroups groups = new FileGroups();
    commits.forEach(
        commit ->
            commit
                .getPartitionToWriteStats()
                .forEach((partition, stats) -> stats.forEach(stat -> groups.add(partition, stat))));
    return groups;
  }

  private void add(String partition, HoodieWriteStat stat) {
    files
        .computeIfAbsent(id(partition, stat.getFileId()), group -> new HashSet<>())
        .add(new StoragePath(stat.getPath()).getName());
  }

  /** Whether a write names file groups that it changes; new ones have no name in advance. */
  static boolean namesAny(List<HoodieWriteStat> workload) {
    return workload.stream().anyMatch(stat -> !StringUtils.isNullOrEmpty(stat.getFileId()));
  }

  private static HoodieFileGroupId id(String partition, String fileId) {
    return new HoodieFileGroupId(partition, fileId);
  }

  private static Set<String> names(HoodieSliceInfo slice) {
    Set<String> names = new HashSet<>();
    if (!StringUtils.isNullOrEmpty(slice.getDataFilePath())) {
      names.add(new StoragePath(slice.getDataFilePath()).getName());
    }
    slice.getDeltaFilePaths().forEach(path -> names.add(new StoragePath(path).getName()));
    return names;
  }

  List<String> partitions() {
    return files.keySet().stream()
        .map(HoodieFileGroupId::getPartitionPath)
        .distinct()
        .collect(Collectors.toList());
  }

  /** Names one of some file groups, and says how many they are. */
  static String named(List<HoodieFileGroupId> groups) {
    HoodieFileGroupId group = groups.get(0);
    String first = group.getPartitionPath() + "/" + group.getFileId();
    return groups.size() == 1
        ? "file group " + first
        : String.format("%,d of its file groups, such as %s", groups.size(), first);
  }

  /** Those that a clustering's plan is to replace. */
  List<HoodieFileGroupId> takenBy(HoodieClusteringPlan plan) {
    return ClusteringUtils.getFileGroupsFromClusteringPlan(plan)
        .filter(files::containsKey)
        .sorted()
        .collect(Collectors.toList());
  }

  /** Those of which a known file has one of the names. */
  List<HoodieFileGroupId> holding(Set<String> names) {
    return those(group -> !Collections.disjoint(group.getValue(), names));
  }

  private List<HoodieFileGroupId> those(
      Predicate<Map.Entry<HoodieFileGroupId, Set<String>>> which) {
    return files.entrySet().stream()
        .filter(which)
        .map(Map.Entry::getKey)
        .sorted()
        .collect(Collectors.toList());
  }

  /** The same, with no file known that has one of the names. */
  FileGroups without(Set<String> names) {
    FileGroups others = new FileGroups();
    files.forEach(
        (group, known) -> {
          Set<String> left = new HashSet<>(known);
          left.removeAll(names);
          if (!left.isEmpty()) {
            others.files.put(group, left);
          }
        });
    return others;
  }

  /** Those of which a known file is there no more, whether they are replaced or not. */
  List<HoodieFileGroupId> lost(HoodieTableFileSystemView view) {
    List<String> partitions = partitions();
    view.loadPartitions(partitions);
    Map<HoodieFileGroupId, Set<String>> there = new HashMap<>();
    for (String partition : partitions) {
      Stream.concat(view.getAllFileGroups(partition), view.getAllReplacedFileGroups(partition))
          .forEach(group -> there.put(group.getFileGroupId(), names(group)));
    }
    return those(
        group -> !there.getOrDefault(group.getKey(), Set.of()).containsAll(group.getValue()));
  }

  private static Set<String> names(HoodieFileGroup group) {
    return group
        .getAllFileSlicesIncludingInflight()
        .flatMap(slice -> names(slice).stream())
        .collect(Collectors.toSet());
  }

  /** Those that have other files now than the known ones, or are replaced. */
  List<HoodieFileGroupId> changed(HoodieTableFileSystemView view) {
    List<String> partitions = partitions();
    view.loadPartitions(partitions);
    // A view that is asked for one slice goes through all of its partition.
    Map<HoodieFileGroupId, Set<String>> now = new HashMap<>();
    for (String partition : partitions) {
      view.getLatestFileSlices(partition)
          .filter(slice -> files.containsKey(slice.getFileGroupId()))
          .forEach(slice -> now.put(slice.getFileGroupId(), names(slice)));
    }
    return those(group -> !group.getValue().equals(now.get(group.getKey())));
  }

  /**
   * Those of which Hudi overlooks log files: it has a log in the slice of the newest base file that
   * is older, be that committed or not, and reads no slice of one that is not.
   *
   * @param isCommitted whether a log file is of a write that is committed
   */
  List<HoodieFileGroupId> overlooked(
      HoodieTableFileSystemView view, Predicate<HoodieLogFile> isCommitted) {
    return partitions().stream()
        .flatMap(partition -> view.getAllFileGroups(partition))
        .filter(group -> files.containsKey(group.getFileGroupId()))
        .filter(
            group -> afterTheLatest(group).flatMap(FileSlice::getLogFiles).anyMatch(isCommitted))
        .map(HoodieFileGroup::getFileGroupId)
        .sorted()
        .collect(Collectors.toList());
  }

  private static Stream<FileSlice> afterTheLatest(HoodieFileGroup group) {
    String latest = group.getLatestFileSlice().map(FileSlice::getBaseInstantTime).orElse("");
    return group
        .getAllFileSlicesIncludingInflight()
        .filter(slice -> slice.getBaseInstantTime().compareTo(latest) > 0);
  }

  private static Set<String> names(FileSlice slice) {
    Set<String> names = new HashSet<>();
    slice.getBaseFile().ifPresent(base -> names.add(base.getFileName()));
    slice.getLogFiles().forEach(log -> names.add(log.getFileName()));
    return names;
  }

  /**
   * Those that a write is about to change, by its workload.
   *
   * @param workload whose writes have no path yet
   */
  List<HoodieFileGroupId> touched(HoodieCommitMetadata workload) {
    return touched(workload, false);
  }

  /**
   * Those that a commit replaced, or wrote other files to than the known ones.
   *
   * @param appends whether it may have written to known log files as well
   */
  List<HoodieFileGroupId> touched(HoodieCommitMetadata commit, boolean appends) {
    Set<HoodieFileGroupId> touched = new HashSet<>();
    commit
        .getPartitionToWriteStats()
        .forEach(
            (partition, stats) ->
                stats.stream()
                    .filter(stat -> isNews(partition, stat, appends))
                    .forEach(stat -> touched.add(id(partition, stat.getFileId()))));
    touched.addAll(ReplacedFileGroups.of(commit));
    touched.retainAll(files.keySet());
    return touched.stream().sorted().collect(Collectors.toList());
  }

  private boolean isNews(String partition, HoodieWriteStat stat, boolean appends) {
    Set<String> known = files.get(id(partition, stat.getFileId()));
    if (known == null || stat.getPath() == null) {
      return known != null;
    }
    StoragePath file = new StoragePath(stat.getPath());
    return appends && FSUtils.isLogFile(file) || !known.contains(file.getName());
  }
}
