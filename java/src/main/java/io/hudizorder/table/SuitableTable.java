package io.hudizorder.table;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.model.HoodieFileFormat;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.exception.HoodieIOException;
import org.apache.hudi.storage.StoragePath;

/**
 * Refuses tables that no layout of ours may replace, by what they themselves say. Hudi does not
 * store the type of a table's index: who clusters without knowing of buckets would leave a table
 * that nobody can write any more.
 */
public final class SuitableTable {

  /** How Hudi names the file groups of buckets, of which no partition has 100,000. */
  private static final Pattern BUCKET = Pattern.compile("000\\d{5}-.*");

  private SuitableTable() {}

  /**
   * Looks at the table's properties and metadata.
   *
   * @throws IllegalArgumentException with what was found
   */
  public static void require(HoodieTableMetaClient metaClient) {
    HoodieTableConfig table = metaClient.getTableConfig();
    HoodieFileFormat format = table.getBaseFileFormat();
    if (format != HoodieFileFormat.PARQUET) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot cluster: the base files of the table are of %s; only tables of Parquet can be"
                  + " clustered",
              format));
    }
    StoragePath buckets =
        new StoragePath(
            metaClient.getMetaPath(), HoodieTableMetaClient.BUCKET_INDEX_METAFOLDER_NAME);
    try {
      if (metaClient.getStorage().exists(buckets)) {
        throw ofBuckets("it has the metadata of a bucket index, '" + buckets + "'");
      }
    } catch (IOException e) {
      throw new HoodieIOException("Cannot look for '" + buckets + "'", e);
    }
  }

  /**
   * Looks at the names of the file groups that a plan would replace.
   *
   * @throws IllegalArgumentException when all of them are buckets
   */
  public static void require(HoodieClusteringPlan plan) {
    List<String> fileIds =
        plan.getInputGroups().stream()
            .flatMap(group -> group.getSlices().stream())
            .map(slice -> slice.getFileId())
            .collect(Collectors.toList());
    // Of ids made at random, one in 40,000 looks so, and no two.
    if (!fileIds.isEmpty() && fileIds.stream().allMatch(id -> BUCKET.matcher(id).matches())) {
      throw ofBuckets("its file groups are numbered as buckets are, '" + fileIds.get(0) + "'");
    }
  }

  public static IllegalArgumentException ofBuckets(String found) {
    return new IllegalArgumentException(
        "Cannot cluster: "
            + found
            + "; its file groups are hash buckets that no other layout may replace, so cluster a"
            + " table with another index");
  }
}
