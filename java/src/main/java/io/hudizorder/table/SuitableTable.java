package io.hudizorder.table;

import static io.hudizorder.hudi.Instants.commitsOf;
import static io.hudizorder.hudi.Instants.timelineOf;

import io.hudizorder.hudi.FormatCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.model.HoodieFileFormat;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.TableSchemaResolver;
import org.apache.hudi.common.table.timeline.HoodieInstant;
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
    Optional<String> buckets = consistentBuckets(metaClient);
    if (buckets.isPresent()) {
      throw ofBuckets(buckets.get());
    }
    if (metaClient.getTableType() == HoodieTableType.MERGE_ON_READ
        && new TableSchemaResolver(metaClient).hasOperationField()) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot cluster: files of the table have the column '%s', as Flink writes a changelog;"
                  + " its logs hold deleted rows as rows, which a clustering would bring back, so"
                  + " compact it, and write without 'hoodie.allow.operation.metadata.field'",
              HoodieRecord.OPERATION_METADATA_FIELD));
    }
  }

  /**
   * Looks at the table's version: Hudi refuses one that it only reads when it commits, once all
   * files are written, and again when it is to roll that back.
   *
   * @throws IllegalArgumentException when it is too old
   */
  public static void requireWritten(HoodieTableMetaClient metaClient) {
    int version = metaClient.getTableConfig().getTableVersion().versionCode();
    int oldest = FormatCalls.here().oldestWritten();
    if (version < oldest) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot cluster: 'hoodie.table.version' was '%d', and this Hudi writes to tables of"
                  + " version %d or later; upgrade it first by a write with Hudi 0.14 or 0.15",
              version, oldest));
    }
  }

  /**
   * Looks at what the table's writers have written: a file beside buckets that has no number is one
   * that stops every writer who knows of them.
   *
   * @throws IllegalArgumentException when all file groups are buckets
   */
  public static void requireForBulkInsert(HoodieTableMetaClient metaClient) {
    Optional<String> found = consistentBuckets(metaClient).or(() -> numberedBuckets(metaClient));
    if (found.isPresent()) {
      throw new IllegalArgumentException(
          "Cannot lay out a bulk insert: "
              + found.get()
              + "; its file groups are hash buckets, beside which no writer finds other files, so"
              + " name the index, 'hoodie.index.type' = 'BUCKET', by which Hudi itself lays rows"
              + " out");
    }
  }

  private static Optional<String> consistentBuckets(HoodieTableMetaClient metaClient) {
    StoragePath buckets =
        new StoragePath(
            metaClient.getMetaPath(), HoodieTableMetaClient.BUCKET_INDEX_METAFOLDER_NAME);
    try {
      return metaClient.getStorage().exists(buckets)
          ? Optional.of("the table has the metadata of a bucket index, '" + buckets + "'")
          : Optional.empty();
    } catch (IOException e) {
      throw new HoodieIOException("Cannot look for '" + buckets + "'", e);
    }
  }

  /** By the last commit, of a table without buckets; by all, of one that has nothing else. */
  private static Optional<String> numberedBuckets(HoodieTableMetaClient metaClient) {
    Optional<String> found = Optional.empty();
    Iterator<String> fileIds =
        commitsOf(timelineOf(metaClient))
            .filterCompletedInstants()
            .getReverseOrderedInstants()
            .flatMap(commit -> fileIds(metaClient, commit))
            .iterator();
    while (fileIds.hasNext()) {
      String fileId = fileIds.next();
      if (!BUCKET.matcher(fileId).matches()) {
        return Optional.empty();
      }
      found = Optional.of(numbered(fileId));
    }
    return found;
  }

  private static Stream<String> fileIds(HoodieTableMetaClient metaClient, HoodieInstant commit) {
    try {
      return FormatCalls.here().metadata(metaClient, commit).getWriteStats().stream()
          .map(HoodieWriteStat::getFileId);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the commit '" + commit + "'", e);
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
      throw ofBuckets(numbered(fileIds.get(0)));
    }
  }

  private static String numbered(String fileId) {
    return "the table's file groups are numbered as buckets are, '" + fileId + "'";
  }

  public static IllegalArgumentException ofBuckets(String found) {
    return new IllegalArgumentException(
        "Cannot cluster: "
            + found
            + "; its file groups are hash buckets that no other layout may replace, so cluster a"
            + " table with another index");
  }
}
