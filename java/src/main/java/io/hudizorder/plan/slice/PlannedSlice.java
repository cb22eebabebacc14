package io.hudizorder.plan.slice;

import io.hudizorder.hudi.FormatCalls;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.model.BaseFile;
import org.apache.hudi.common.model.ClusteringOperation;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.common.util.StringUtils;
import org.apache.hudi.storage.StoragePath;

/** A file slice as a plan names it; Hudi's own strategies have this since 1.1. */
public final class PlannedSlice {

  private PlannedSlice() {}

  /**
   * The slices of a group, in its order, without the sizes of their files, which no plan stores.
   *
   * @throws IllegalArgumentException when one has no file
   */
  public static Stream<FileSlice> ofGroup(String basePath, HoodieClusteringGroup group) {
    return group.getSlices().stream()
        .map(ClusteringOperation::create)
        .map(planned -> of(basePath, planned));
  }

  /** The slices of all groups of a plan. */
  public static Stream<FileSlice> ofPlan(String basePath, HoodieClusteringPlan plan) {
    return plan.getInputGroups().stream().flatMap(group -> ofGroup(basePath, group));
  }

  private static FileSlice of(String basePath, ClusteringOperation planned) {
    FileSlice slice =
        new FileSlice(planned.getPartitionPath(), instant(basePath, planned), planned.getFileId());
    if (hasBaseFile(planned)) {
      slice.setBaseFile(baseFile(basePath, planned));
    }
    planned.getDeltaFilePaths().forEach(log -> slice.addLogFile(logFile(basePath, log)));
    return slice;
  }

  private static String instant(String basePath, ClusteringOperation planned) {
    if (hasBaseFile(planned)) {
      return baseFile(basePath, planned).getCommitTime();
    }
    return planned.getDeltaFilePaths().stream()
        .findFirst()
        .map(log -> FormatCalls.here().time(logFile(basePath, log)))
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Cannot cluster: the plan names neither base file nor log file of file group '"
                        + planned.getFileId()
                        + "'; cancel it, and schedule another"));
  }

  private static boolean hasBaseFile(ClusteringOperation planned) {
    return !StringUtils.isNullOrEmpty(planned.getDataFilePath());
  }

  private static HoodieBaseFile baseFile(String basePath, ClusteringOperation planned) {
    String bootstrap = planned.getBootstrapFilePath();
    return new HoodieBaseFile(
        new StoragePath(basePath, planned.getDataFilePath()).toString(),
        StringUtils.isNullOrEmpty(bootstrap)
            ? null
            : new BaseFile(new StoragePath(basePath, bootstrap).toString()));
  }

  private static HoodieLogFile logFile(String basePath, String path) {
    return new HoodieLogFile(new StoragePath(basePath, path));
  }
}
