package io.hudizorder.plan;

import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.apache.hudi.common.fs.FSUtils;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.StringUtils;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.storage.StoragePath;

/**
 * Where the files of a plan lie. A plan names them by whole paths, those of the folder that it was
 * made in: in a table that was moved or copied since, Hudi reads the files of the other one.
 */
public final class PlannedPaths {

  private PlannedPaths() {}

  /**
   * The plan with the files of the table at a path, which have the same names.
   *
   * @throws HoodieClusteringException when a partition of it is none of the table
   */
  public static HoodieClusteringPlan within(String basePath, HoodieClusteringPlan plan) {
    HoodieClusteringPlan here = HoodieClusteringPlan.newBuilder(plan).build();
    StoragePath table = new StoragePath(basePath);
    here.getInputGroups().stream()
        .flatMap(group -> group.getSlices().stream())
        .forEach(slice -> place(table, slice));
    return here;
  }

  /**
   * The folder of a partition that a plan or a commit names, to be read, written or deleted in.
   *
   * @throws HoodieClusteringException when it leads out of the table, or among Hudi's own files
   */
  public static StoragePath folder(StoragePath table, String partition) {
    if (StringUtils.isNullOrEmpty(partition)) {
      return table;
    }
    StoragePath folder = FSUtils.constructAbsolutePath(table, partition);
    String path = folder + StoragePath.SEPARATOR;
    String own = table + StoragePath.SEPARATOR + HoodieTableMetaClient.METAFOLDER_NAME;
    if (!isBelow(folder, table) || path.startsWith(own + StoragePath.SEPARATOR)) {
      throw new HoodieClusteringException(
          String.format(
              "Cannot use partition '%s' of table '%s': it leads out of the partitions of the"
                  + " table, as no plan or commit of Hudi's does; repair the table with hudi-cli",
              partition, table));
    }
    return folder;
  }

  /**
   * A partition as listings of the table name its folder, whatever blanks of a path, such as "//",
   * it is spelt with.
   *
   * @throws HoodieClusteringException as {@link #folder} has it
   */
  public static String asListed(StoragePath table, String partition) {
    return FSUtils.getRelativePartitionPath(table, folder(table, partition));
  }

  private static boolean isBelow(StoragePath path, StoragePath folder) {
    String within = folder + StoragePath.SEPARATOR;
    return path.toString().startsWith(within) && !path.toString().equals(within);
  }

  private static void place(StoragePath table, HoodieSliceInfo slice) {
    String partition = slice.getPartitionPath();
    StoragePath folder = folder(table, partition);
    String listed = FSUtils.getRelativePartitionPath(table, folder);
    if (!listed.equals(StringUtils.nullToEmpty(partition))) {
      throw new HoodieClusteringException(
          String.format(
              "Cannot execute a plan of partition '%s', for the table has it as '%s': by another"
                  + " name Hudi would not replace its files. Nothing was changed; cancel the plan,"
                  + " and plan by the latter",
              partition, listed));
    }
    if (!StringUtils.isNullOrEmpty(slice.getDataFilePath())) {
      slice.setDataFilePath(within(table, folder, slice.getDataFilePath()));
    }
    slice.setDeltaFilePaths(
        slice.getDeltaFilePaths().stream()
            .map(log -> within(table, folder, log))
            .collect(Collectors.toList()));
  }

  /** A path below the table stays: a file that Hudi has not named may lie deeper than others. */
  private static String within(StoragePath table, StoragePath folder, String planned) {
    StoragePath path = new StoragePath(table, planned);
    if (isBelow(path, table)) {
      return path.toString();
    }
    return new StoragePath(folder, path.getName()).toString();
  }
}
