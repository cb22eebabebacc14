package io.hudizorder.verify;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.storage.StoragePath;

/**
 * The files of a committed clustering that are no more, by whether the cleaner was to take them.
 */
final class MissingFiles {

  private final Set<StoragePath> cleaned;
  private final Set<StoragePath> lost;

  private MissingFiles(Set<StoragePath> cleaned, Set<StoragePath> lost) {
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
      FileNames onStorage,
      List<FileSlice> replaced,
      List<FileSlice> written)
      throws IOException {
    Set<StoragePath> cleaned = onStorage.missing(replaced);
    Set<StoragePath> lost = onStorage.missing(written);
    if (!lost.isEmpty()) {
      Set<StoragePath> cleanable = onStorage.missing(UnreadSlices.of(table, instant, written));
      lost.removeAll(cleanable);
      cleaned.addAll(cleanable);
    }
    return new MissingFiles(cleaned, lost);
  }

  /** What the cleaner was free to remove. */
  Set<StoragePath> cleaned() {
    return cleaned;
  }

  /** What the clustering wrote and queries would still read. */
  Set<StoragePath> lost() {
    return lost;
  }

  boolean isEmpty() {
    return cleaned.isEmpty() && lost.isEmpty();
  }
}
