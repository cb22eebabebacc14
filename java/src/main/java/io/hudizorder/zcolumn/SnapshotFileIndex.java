package io.hudizorder.zcolumn;

import static scala.collection.JavaConverters.asScalaBuffer;
import static scala.collection.JavaConverters.seqAsJavaList;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hudi.HoodieFileIndex;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata;
import org.apache.spark.sql.execution.datasources.NoopCache$;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;
import org.apache.spark.sql.types.StructType;
import scala.collection.Seq;

/**
 * The files of the snapshot that a query was planned for, by its own predicate and apart from that
 * by the z-column's.
 *
 * <p>Hudi loses a file that has statistics of one column that a query is about, and none of another
 * which the index has for other files, as when writers name different columns. With a predicate
 * added this would happen to a query that names one column; so each is looked up by itself.
 *
 * <p>Data frames of a catalog's table share its file index, and any write by SQL refreshes that.
 * Bounds that were true when a query was planned may not be so of what it would then find, which is
 * why it is held to its own timeline, and sees what it would have seen at once.
 */
final class SnapshotFileIndex implements FileIndex {

  private final HoodieFileIndex index;
  private final HoodieTimeline planned;
  private final String zColumn;

  SnapshotFileIndex(HoodieFileIndex index, HoodieTimeline planned, String zColumn) {
    this.index = index;
    this.planned = planned;
    this.zColumn = zColumn;
  }

  HoodieFileIndex index() {
    return index;
  }

  @Override
  public Seq<PartitionDirectory> listFiles(
      Seq<Expression> partitionFilters, Seq<Expression> dataFilters) {
    if (isAsPlanned()) {
      Seq<PartitionDirectory> files = listFiles(index, partitionFilters, dataFilters);
      if (isAsPlanned()) {
        return files;
      }
    }
    return listFiles(new Pinned(index, planned), partitionFilters, dataFilters);
  }

  private Seq<PartitionDirectory> listFiles(
      HoodieFileIndex files, Seq<Expression> partitionFilters, Seq<Expression> dataFilters) {
    Map<Boolean, List<Expression>> byColumn =
        seqAsJavaList(dataFilters).stream().collect(Collectors.partitioningBy(this::isOfZColumn));
    Seq<PartitionDirectory> slices = files.listFiles(partitionFilters, seq(byColumn.get(false)));
    if (byColumn.get(true).isEmpty()) {
      return slices;
    }
    Set<Path> kept =
        seqAsJavaList(files.listFiles(anyOf(partitionFilters), seq(byColumn.get(true)))).stream()
            .flatMap(SnapshotFileIndex::paths)
            .collect(Collectors.toSet());
    return seq(
        seqAsJavaList(slices).stream()
            .filter(slice -> paths(slice).anyMatch(kept::contains))
            .collect(Collectors.toList()));
  }

  /**
   * Filters of partitions, of which there is one at least. Without any, Hudi asks the statistics of
   * partitions, and takes a partition that has none of the column for one without matching rows.
   */
  private static Seq<Expression> anyOf(Seq<Expression> partitionFilters) {
    return partitionFilters.isEmpty() ? seq(List.of(Literal.TrueLiteral())) : partitionFilters;
  }

  private boolean isOfZColumn(Expression filter) {
    List<Attribute> attributes = seqAsJavaList(filter.references().toSeq());
    return !attributes.isEmpty()
        && attributes.stream().allMatch(attribute -> attribute.name().equals(zColumn));
  }

  /** Where the files of a slice lie, of which each directory holds one. */
  private static Stream<Path> paths(PartitionDirectory slice) {
    return seqAsJavaList(slice.files()).stream().map(FileStatusWithMetadata::getPath);
  }

  private static <T> Seq<T> seq(List<T> items) {
    return asScalaBuffer(items).toList();
  }

  private boolean isAsPlanned() {
    HoodieTimeline now = index.metaClient().getActiveTimeline();
    return now == planned || now.getInstants().equals(planned.getInstants());
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
