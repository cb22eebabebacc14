package io.hudizorder.hudi;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.StoragePathInfo;

/** Folders that may not be there. */
public final class Folders {

  private Folders() {}

  /** What lies in a folder; nothing where it is not there, or somebody has just removed it. */
  public static List<StoragePathInfo> entries(HoodieStorage storage, StoragePath folder)
      throws IOException {
    try {
      return storage.listDirectEntries(folder);
    } catch (FileNotFoundException missing) {
      return List.of();
    }
  }
}
