package io.hudizorder.zcolumn;

import org.apache.hadoop.fs.Path;
import org.apache.hudi.HoodieFileIndex;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.NoopCache$;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;
import org.apache.spark.sql.types.StructType;
import scala.collection.Seq;

/**
 * The files of the snapshot that a query was planned for.
 *
 * <p>Data frames of a catalog's table share its file index, and any write by SQL refreshes that.
 * Bounds that were true when a query was planned may not be so of what it would then find, which is
 * why it is held to its own timeline, and sees what it would have seen at once.
 */
final class SnapshotFileIndex implements FileIndex {

  private final HoodieFileIndex index;
  private final HoodieTimeline planned;

  SnapshotFileIndex(HoodieFileIndex index) {
    this.index = index;
    this.planned = index.metaClient().getActiveTimeline();
  }

  @Override
  public Seq<PartitionDirectory> listFiles(
      Seq<Expression> partitionFilters, Seq<Expression> dataFilters) {
    if (isAsPlanned()) {
      Seq<PartitionDirectory> files = index.listFiles(partitionFilters, dataFilters);
      if (isAsPlanned()) {
        return files;
      }
    }
    return new Pinned(index, planned).listFiles(partitionFilters, dataFilters);
  }

  private boolean isAsPlanned() {
    return index.metaClient().getActiveTimeline() == planned;
  }

  @Override
  public Seq<Path> rootPaths() {
    return index.rootPaths();
  }

  @Override
  public String[] inputFiles() {
    return index.inputFiles();
  }

  @Override
  public void refresh() {
    index.refresh();
  }

  @Override
  public long sizeInBytes() {
    return index.sizeInBytes();
  }

  @Override
  public StructType partitionSchema() {
    return index.partitionSchema();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SnapshotFileIndex
        && ((SnapshotFileIndex) other).index.equals(index)
        && ((SnapshotFileIndex) other).planned == planned;
  }

  @Override
  public int hashCode() {
    return index.hashCode();
  }

  @Override
  public String toString() {
    return index.toString();
  }

  /** A file index of its own, which looks at a timeline of before. */
  private static final class Pinned extends HoodieFileIndex {

    private static final long serialVersionUID = 1L;

    private final transient HoodieTimeline timeline;

    Pinned(HoodieFileIndex index, HoodieTimeline timeline) {
      super(
          index.spark(),
          HoodieTableMetaClient.reload(index.metaClient()),
          index.schemaSpec(),
          // Otherwise it would list files before it has the timeline.
          index.options().updated("hoodie.datasource.read.file.index.listing.mode", "lazy"),
          NoopCache$.MODULE$,
          index.includeLogFiles(),
          index.shouldEmbedFileSlices());
      this.timeline = timeline;
    }

    @Override
    public HoodieTimeline getActiveTimeline() {
      HoodieTimeline of = timeline == null ? metaClient().getActiveTimeline() : timeline;
      return of.getWriteTimeline().filterCompletedAndCompactionInstants();
    }
  }
}
