package io.hudizorder.verify;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.metadata.HoodieBackedTableMetadata;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.StoragePathInfo;

/** The names of the files of a table's folders, by who lists them; each folder is listed once. */
final class FileNames {

  private interface Listing {
    List<StoragePathInfo> of(StoragePath folder) throws IOException;
  }

  private final Listing listing;
  private final Map<StoragePath, Set<String>> byFolder = new HashMap<>();

  private FileNames(Listing listing) {
    this.listing = listing;
  }

  static FileNames onStorage(HoodieStorage storage) {
    return new FileNames(
        folder -> storage.exists(folder) ? storage.listDirectEntries(folder) : List.of());
  }

  /**
   * As queries find them in a table that has a metadata table; empty where that is none that Hudi
   * can open, as queries do without it then.
   *
   * @param folders about which it is asked at once; of others nothing is known
   */
  static Option<FileNames> inMetadataTable(
      HoodieEngineContext engine,
      HoodieStorage storage,
      HoodieWriteConfig config,
      Collection<StoragePath> folders)
      throws IOException {
    FileNames names = new FileNames(folder -> List.of());
    try (HoodieBackedTableMetadata metadata =
        new HoodieBackedTableMetadata(
            engine, storage, config.getMetadataConfig(), config.getBasePath())) {
      if (!metadata.enabled()) {
        return Option.empty();
      }
      List<String> paths = folders.stream().map(StoragePath::toString).collect(Collectors.toList());
      metadata.getAllFilesInPartitions(paths).values().stream()
          .flatMap(List::stream)
          .map(StoragePathInfo::getPath)
          .forEach(file -> names.add(file));
    }
    return Option.of(names);
  }

  private void add(StoragePath file) {
    byFolder.computeIfAbsent(file.getParent(), any -> new HashSet<>()).add(file.getName());
  }

  Set<String> in(StoragePath folder) throws IOException {
    if (!byFolder.containsKey(folder)) {
      byFolder.put(
          folder,
          listing.of(folder).stream()
              .map(entry -> entry.getPath().getName())
              .collect(Collectors.toSet()));
    }
    return byFolder.get(folder);
  }

  /** The files of slices that are not listed. */
  Set<StoragePath> missing(List<FileSlice> slices) throws IOException {
    Set<StoragePath> missing = new LinkedHashSet<>();
    for (FileSlice slice : slices) {
      for (StoragePath file : files(slice).collect(Collectors.toList())) {
        if (!in(file.getParent()).contains(file.getName())) {
          missing.add(file);
        }
      }
    }
    return missing;
  }

  static Stream<StoragePath> files(FileSlice slice) {
    Option<HoodieBaseFile> base = slice.getBaseFile();
    return Stream.concat(
        base.isPresent() ? Stream.of(base.get().getStoragePath()) : Stream.empty(),
        slice.getLogFiles().map(HoodieLogFile::getPath));
  }
}
