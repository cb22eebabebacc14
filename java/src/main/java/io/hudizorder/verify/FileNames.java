package io.hudizorder.verify;

import io.hudizorder.hudi.SomeAtATime;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
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

/** The names of the files of a table's folders, by who has listed them. */
final class FileNames {

  /** Folders that are listed at once: who lists them waits for storage. */
  private static final int AT_ONCE = 32;

  private final Map<StoragePath, Set<String>> byFolder = new HashMap<>();

  private FileNames() {}

  /** As storage lists them. */
  static FileNames onStorage(HoodieStorage storage, Collection<StoragePath> folders) {
    FileNames names = new FileNames();
    List<StoragePath> all = new ArrayList<>(folders);
    List<Set<String>> found =
        SomeAtATime.of(all, AT_ONCE, "folders", folder -> names(storage, folder));
    // Storage may spell a folder in another way than who asks for it, as by its scheme.
    for (int i = 0; i < found.size(); i++) {
      names.byFolder.put(all.get(i), found.get(i));
    }
    return names;
  }

  private static Set<String> names(HoodieStorage storage, StoragePath folder) {
    try {
      return storage.listDirectEntries(folder).stream()
          .map(entry -> entry.getPath().getName())
          .collect(Collectors.toSet());
    } catch (FileNotFoundException gone) {
      return Set.of();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot list '" + folder + "'", e);
    }
  }

  /**
   * As queries find them in a table that has a metadata table; empty where that is none that Hudi
   * can open, as queries do without it then.
   *
   * @param folders those that are asked for
   */
  static Option<FileNames> inMetadataTable(
      HoodieEngineContext engine,
      HoodieStorage storage,
      HoodieWriteConfig config,
      Collection<StoragePath> folders)
      throws IOException {
    FileNames names = new FileNames();
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

  /** Nothing in a folder that is not there, or was not asked for. */
  Set<String> in(StoragePath folder) {
    return byFolder.getOrDefault(folder, Set.of());
  }

  /** The files of slices that are not listed. */
  Set<StoragePath> missing(List<FileSlice> slices) {
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

  /** The folders that slices have files in. */
  static Set<StoragePath> folders(List<FileSlice> some, List<FileSlice> others) {
    return Stream.concat(some.stream(), others.stream())
        .flatMap(FileNames::files)
        .map(StoragePath::getParent)
        .collect(Collectors.toSet());
  }

  static Stream<StoragePath> files(FileSlice slice) {
    Option<HoodieBaseFile> base = slice.getBaseFile();
    return Stream.concat(
        base.isPresent() ? Stream.of(base.get().getStoragePath()) : Stream.empty(),
        slice.getLogFiles().map(HoodieLogFile::getPath));
  }
}
