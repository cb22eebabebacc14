package io.hudizorder.verify;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.plan.PendingPlan;
import io.hudizorder.read.WrittenSlices;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.BaseHoodieClient;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.StringUtils;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.table.HoodieSparkTable;
import org.apache.hudi.table.HoodieTable;

/**
 * What a committed clustering has left, whichever strategy executed it: its rows, where all files
 * of both sides are there, and what its plan, its commit, the storage and the metadata table say of
 * its files. For callers from Python.
 */
public final class CommittedClustering {

  private final Option<ClusteringProof> rows;
  private final MissingFiles missing;
  private final ListedFiles listed;
  private final ReplacedAsPlanned groups;

  private CommittedClustering(
      Option<ClusteringProof> rows,
      MissingFiles missing,
      ListedFiles listed,
      ReplacedAsPlanned groups) {
    this.rows = rows;
    this.missing = missing;
    this.listed = listed;
    this.groups = groups;
  }

  /**
   * Looks at it.
   *
   * @throws HoodieClusteringException when no completed clustering of that instant is on the
   *     timeline
   */
  public static CommittedClustering of(BaseHoodieClient client, String instant) throws IOException {
    HoodieWriteConfig config = client.getConfig();
    HoodieEngineContext engine = client.getEngineContext();
    HoodieTable<?, ?, ?, ?> table = HoodieSparkTable.create(config, engine);
    HoodieTableMetaClient metaClient = table.getMetaClient();
    HoodieInstant committed =
        PendingPlan.committed(metaClient, instant).orElseThrow(() -> notThere(instant));
    HoodieClusteringPlan plan =
        ClusteringUtils.getClusteringPlan(metaClient, committed)
            .map(Pair::getRight)
            .orElseThrow(() -> notThere(instant));
    HoodieCommitMetadata commit = FormatCalls.here().metadata(metaClient, committed);
    List<FileSlice> replaced = ClusteringProof.replaced(plan, config.getBasePath());
    List<FileSlice> written =
        WrittenSlices.of(config.getBasePath(), commit.getWriteStats(), instant);
    FileNames onStorage =
        FileNames.onStorage(metaClient.getStorage(), FileNames.folders(replaced, written));
    MissingFiles missing = MissingFiles.of(metaClient, instant, onStorage, replaced, written);
    return new CommittedClustering(
        missing.isEmpty()
            ? Option.of(
                ClusteringProof.of(table, engine, config, plan, commit.getWriteStats(), instant))
            : Option.empty(),
        missing,
        ListedFiles.of(engine, metaClient, config, instant, onStorage, replaced, written),
        new ReplacedAsPlanned(plan, commit));
  }

  private static HoodieClusteringException notThere(String instant) {
    return new HoodieClusteringException(
        "Cannot verify clustering " + instant + ": the timeline has no completed one of that name");
  }

  /** Whether the same rows were written as were replaced; false where files are missing. */
  public boolean hasSameRows() {
    return rows.map(ClusteringProof::holds).orElse(false);
  }

  /** 0 where files are missing. */
  public long rowsReplaced() {
    return rows.map(ClusteringProof::rowsReplaced).orElse(0L);
  }

  /** 0 where files are missing. */
  public long rowsWritten() {
    return rows.map(ClusteringProof::rowsWritten).orElse(0L);
  }

  /** Files without which no row can be compared, and which the cleaner was free to remove. */
  public List<String> cleaned() {
    return paths(missing.cleaned());
  }

  /** Files that it wrote and that are gone, although nothing has taken their place since. */
  public List<String> lost() {
    return paths(missing.lost());
  }

  /** Whether the table has a metadata table that opens, by which queries find files. */
  public boolean hasMetadataTable() {
    return listed.unlisted().isPresent();
  }

  /** Files that it wrote, that are there, and that queries miss, for no metadata table has them. */
  public List<String> unlisted() {
    return paths(listed.unlisted().orElse(Set.of()));
  }

  /** Files of its instant, by storage or metadata table, that its commit does not name. */
  public List<String> strays() {
    return paths(listed.strays());
  }

  /** File groups of its plan that its commit has not replaced: their rows are there twice. */
  public List<String> kept() {
    return names(groups.kept());
  }

  /** File groups that its commit has replaced, and its plan does not name: their rows are gone. */
  public List<String> hidden() {
    return names(groups.hidden());
  }

  private static List<String> paths(Collection<StoragePath> files) {
    return files.stream().map(StoragePath::toString).collect(Collectors.toList());
  }

  private static List<String> names(Collection<HoodieFileGroupId> groups) {
    return groups.stream().map(group -> name(group)).collect(Collectors.toList());
  }

  private static String name(HoodieFileGroupId group) {
    String partition = group.getPartitionPath();
    return StringUtils.isNullOrEmpty(partition)
        ? group.getFileId()
        : partition + StoragePath.SEPARATOR + group.getFileId();
  }
}
