package io.hudizorder.verify;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hudi.common.engine.HoodieEngineContext;
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

  /** File group, write token, and the instant that wrote it; as Hudi since 1.0 has it. */
  private static final Pattern BASE_FILE =
      Pattern.compile("[a-zA-Z0-9-]+_[a-zA-Z0-9-]+_([0-9]+)\\.[a-zA-Z0-9]+");

  private final Option<Set<StoragePath>> unlisted;
  private final Set<StoragePath> strays;

  private ListedFiles(Option<Set<StoragePath>> unlisted, Set<StoragePath> strays) {
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
    Set<StoragePath> folders = FileNames.folders(replaced, written);
    Set<StoragePath> strays = strays(onStorage, folders, instant, written);
    if (!table.getTableConfig().isMetadataTableAvailable()) {
      return new ListedFiles(Option.empty(), strays);
    }
    Option<FileNames> found =
        FileNames.inMetadataTable(engine, table.getStorage(), config, folders);
    if (!found.isPresent()) {
      return new ListedFiles(Option.empty(), strays);
    }
    FileNames listed = found.get();
    strays.addAll(strays(listed, folders, instant, written));
    Set<StoragePath> unlisted = listed.missing(written);
    unlisted.removeAll(onStorage.missing(written)); // of which MissingFiles tells
    if (!unlisted.isEmpty()) {
      unlisted.removeAll(listed.missing(UnreadSlices.of(table, instant, written)));
    }
    return new ListedFiles(Option.of(unlisted), strays);
  }

  /** Base files of the instant that it has not said that it wrote. */
  private static Set<StoragePath> strays(
      FileNames names, Collection<StoragePath> folders, String instant, List<FileSlice> written) {
    Set<StoragePath> strays = new TreeSet<>();
    for (StoragePath folder : folders) {
      names.in(folder).stream()
          .filter(name -> isBaseFileOf(name, instant))
          .map(name -> new StoragePath(folder, name))
          .forEach(strays::add);
    }
    written.stream().flatMap(FileNames::files).forEach(strays::remove);
    return strays;
  }

  /** By its name alone: a folder may have files that are none of Hudi's. */
  private static boolean isBaseFileOf(String name, String instant) {
    Matcher file = BASE_FILE.matcher(name);
    return file.matches() && file.group(1).equals(instant);
  }

  /**
   * What it wrote, is there, and queries would read if the metadata table listed it; nothing where
   * there is none.
   */
  Option<Set<StoragePath>> unlisted() {
    return unlisted;
  }

  /** Files of its instant, by storage or metadata table, that its commit does not name. */
  Collection<StoragePath> strays() {
    return strays;
  }
}
