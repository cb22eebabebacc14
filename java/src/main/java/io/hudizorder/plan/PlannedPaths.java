package io.hudizorder.plan;

import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.apache.hudi.common.fs.FSUtils;
import org.apache.hudi.common.util.StringUtils;
import org.apache.hudi.storage.StoragePath;

/**
 * Where the files of a plan lie. A plan names them by whole paths, those of the folder that it was
 * made in: in a table that was moved or copied since, Hudi reads the files of the other one.
 */
public final class PlannedPaths {

  private PlannedPaths() {}

  /** The plan with the files of the table at a path, which have the same names. */
  public static HoodieClusteringPlan within(String basePath, HoodieClusteringPlan plan) {
    HoodieClusteringPlan here = HoodieClusteringPlan.newBuilder(plan).build();
    StoragePath table = new StoragePath(basePath);
    here.getInputGroups().stream()
        .flatMap(group -> group.getSlices().stream())
        .forEach(slice -> place(table, slice));
    return here;
  }

  private static void place(StoragePath table, HoodieSliceInfo slice) {
    if (!StringUtils.isNullOrEmpty(slice.getDataFilePath())) {
      slice.setDataFilePath(within(table, slice, slice.getDataFilePath()));
    }
    slice.setDeltaFilePaths(
        slice.getDeltaFilePaths().stream()
            .map(log -> within(table, slice, log))
            .collect(Collectors.toList()));
  }

  /** A path below the table stays: a file that Hudi has not named may lie deeper than others. */
  private static String within(StoragePath table, HoodieSliceInfo slice, String planned) {
    StoragePath path = new StoragePath(table, planned);
    if (path.toString().startsWith(table + StoragePath.SEPARATOR)) {
      return path.toString();
    }
    StoragePath folder = FSUtils.constructAbsolutePath(table, slice.getPartitionPath());
    return new StoragePath(folder, path.getName()).toString();
  }
}
