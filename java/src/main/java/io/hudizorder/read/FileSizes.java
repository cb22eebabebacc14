package io.hudizorder.read;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.StoragePathInfo;

/** The bytes of files, by as many calls to storage as they have folders. */
final class FileSizes {

  /** So many files of a folder are asked one by one: it may hold thousands of others. */
  private static final int FEW = 4;

  private final HoodieStorage storage;
  private final Map<StoragePath, Long> sizes = new HashMap<>();

  private FileSizes(HoodieStorage storage) {
    this.storage = storage;
  }

  /**
   * Asks storage.
   *
   * @throws UncheckedIOException where a file is not there
   */
  static Map<StoragePath, Long> of(HoodieStorage storage, Collection<StoragePath> files) {
    FileSizes found = new FileSizes(storage);
    files.stream()
        .distinct()
        .collect(Collectors.groupingBy(StoragePath::getParent))
        .forEach(found::add);
    return found.sizes;
  }

  private void add(StoragePath folder, List<StoragePath> files) {
    Map<String, Long> listed = files.size() > FEW ? listed(folder) : Map.of();
    for (StoragePath file : files) {
      Long size = listed.get(file.getName());
      sizes.put(file, size == null ? asked(file) : size);
    }
  }

  private Map<String, Long> listed(StoragePath folder) {
    try {
      return storage.listDirectEntries(folder).stream()
          .collect(Collectors.toMap(file -> file.getPath().getName(), StoragePathInfo::getLength));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot list the folder '" + folder + "'", e);
    }
  }

  private long asked(StoragePath file) {
    try {
      return storage.getPathInfo(file).getLength();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the size of '" + file + "'", e);
    }
  }
}
