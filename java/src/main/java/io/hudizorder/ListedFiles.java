package io.hudizorder;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.fs.FSUtils;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.storage.StoragePath;

/**
 * Whether those who list the files of a committed clustering agree with what it says that it wrote:
 * the metadata table, by which queries find files, and the storage.
 */
final class ListedFiles {

  private final Option<List<StoragePath>> unlisted;
  private final Set<StoragePath> strays;

  private ListedFiles(Option<List<StoragePath>> unlisted, Set<StoragePath> strays) {
    this.unlisted = unlisted;
    this.strays = strays;
  }

  /**
   * @param replaced by the clustering
   * @param written by it
   */
  static ListedFiles of(
      HoodieEngineContext engine,
      HoodieTableMetaClient table,
      HoodieWriteConfig config,
      String instant,
      FileNames onStorage,
      List<FileSlice> replaced,
      List<FileSlice> written)
      throws IOException {
    Set<StoragePath> folders =
        Stream.concat(replaced.stream(), written.stream())
            .flatMap(FileNames::files)
            .map(StoragePath::getParent)
            .collect(Collectors.toSet());
    Set<StoragePath> strays = strays(onStorage, folders, instant, written);
    if (!table.getTableConfig().isMetadataTableAvailable()) {
      return new ListedFiles(Option.empty(), strays);
    }
    FileNames listed = FileNames.inMetadataTable(engine, table.getStorage(), config, folders);
    strays.addAll(strays(listed, folders, instant, written));
    List<StoragePath> unlisted = listed.missing(written);
    unlisted.removeAll(onStorage.missing(written)); // of which MissingFiles tells
    if (!unlisted.isEmpty()) {
      unlisted.removeAll(listed.missing(UnreadSlices.of(table, instant, written)));
    }
    return new ListedFiles(Option.of(unlisted), strays);
  }

  /** Base files of the instant that it has not said that it wrote. */
  private static Set<StoragePath> strays(
      FileNames names, Collection<StoragePath> folders, String instant, List<FileSlice> written)
      throws IOException {
    Set<StoragePath> strays = new TreeSet<>();
    for (StoragePath folder : folders) {
      names.in(folder).stream()
          .map(name -> new StoragePath(folder, name))
          .filter(file -> FSUtils.isBaseFile(file))
          .filter(file -> FSUtils.getCommitTime(file.getName()).equals(instant))
          .forEach(strays::add);
    }
    written.stream().flatMap(FileNames::files).forEach(strays::remove);
    return strays;
  }

  /**
   * What it wrote, is there, and queries would read if the metadata table listed it; nothing where
   * there is none.
   */
  Option<List<StoragePath>> unlisted() {
    return unlisted;
  }

  /** Files of its instant, by storage or metadata table, that its commit does not name. */
  Collection<StoragePath> strays() {
    return strays;
  }
}
