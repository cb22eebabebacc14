package io.hudizorder.hudi;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.StoragePathInfo;

/** Folders of a table, which may not be there. */
public final class Folders {

  private Folders() {}

  /** A table's own folder, by what no version of Hudi calls by another name. */
  public static StoragePath base(HoodieTableMetaClient table) {
    return table.getMetaPath().getParent();
  }

  /** The file by whose time Hudi's writers show that they live, for one write of a table. */
  public static StoragePath heartbeat(StoragePath base, String instant) {
    return new StoragePath(HoodieTableMetaClient.getHeartbeatFolderPath(base.toString()), instant);
  }

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
