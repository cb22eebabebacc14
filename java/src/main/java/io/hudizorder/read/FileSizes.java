package io.hudizorder.read;

import io.hudizorder.parquet.BaseFileFooters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.StoragePathInfo;
import org.apache.spark.api.java.JavaSparkContext;

/** The bytes of files, by as many calls to storage as they have folders. */
final class FileSizes {

  /** So many files of a folder, and so many folders, are asked one by one. */
  private static final int FEW = 4;

  private final HoodieStorage storage;
  private final Map<StoragePath, Long> sizes = new HashMap<>();

  private FileSizes(HoodieStorage storage) {
    this.storage = storage;
  }

  /**
   * Asks storage; by tasks, where there are many folders to ask for.
   *
   * @throws UncheckedIOException where a file is not there
   */
  static Map<StoragePath, Long> of(
      HoodieSparkEngineContext engine, HoodieTableMetaClient table, List<StoragePath> files) {
    List<List<StoragePath>> folders = byFolder(files);
    if (folders.size() <= FEW) {
      return of(table.getStorage(), files);
    }
    JavaSparkContext spark = engine.jsc();
    int tasks =
        BaseFileFooters.tasks(folders.size(), spark.defaultParallelism(), spark.sc().isLocal());
    Map<StoragePath, Long> sizes = new HashMap<>();
    spark
        .parallelize(folders, tasks)
        .map(folder -> of(table.getStorage(), folder))
        .collect()
        .forEach(sizes::putAll);
    return sizes;
  }

  /** The same, but of files whose sizes are known already. */
  static Map<StoragePath, Long> of(
      HoodieSparkEngineContext engine,
      HoodieTableMetaClient table,
      List<StoragePath> files,
      Map<StoragePath, Long> known) {
    Map<Boolean, List<StoragePath>> parts =
        files.stream().collect(Collectors.partitioningBy(known::containsKey));
    Map<StoragePath, Long> sizes = new HashMap<>(of(engine, table, parts.get(false)));
    parts.get(true).forEach(file -> sizes.put(file, known.get(file)));
    return sizes;
  }

  /** Asks storage from here. */
  static Map<StoragePath, Long> of(HoodieStorage storage, List<StoragePath> files) {
    FileSizes found = new FileSizes(storage);
    byFolder(files).forEach(found::add);
    return found.sizes;
  }

  private static List<List<StoragePath>> byFolder(List<StoragePath> files) {
    return new ArrayList<>(
        files.stream().distinct().collect(Collectors.groupingBy(StoragePath::getParent)).values());
  }

  /** Adds those of a folder. */
  private void add(List<StoragePath> files) {
    Map<String, Long> listed = files.size() > FEW ? listed(files.get(0).getParent()) : Map.of();
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
