package io.hudizorder.read;

import io.hudizorder.plan.PlannedPaths;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.storage.StoragePath;

/** The files that a clustering has written, committed or not, as slices of their own. */
public final class WrittenSlices {

  private WrittenSlices() {}

  public static List<FileSlice> of(
      String basePath, Collection<HoodieWriteStat> stats, String instant) {
    return stats.stream().map(file -> of(basePath, file, instant)).collect(Collectors.toList());
  }

  private static FileSlice of(String basePath, HoodieWriteStat file, String instant) {
    FileSlice slice = new FileSlice(file.getPartitionPath(), instant, file.getFileId());
    StoragePath folder = PlannedPaths.folder(new StoragePath(basePath), file.getPartitionPath());
    String name = new StoragePath(file.getPath()).getName();
    slice.setBaseFile(new HoodieBaseFile(new StoragePath(folder, name).toString()));
    return slice;
  }
}
