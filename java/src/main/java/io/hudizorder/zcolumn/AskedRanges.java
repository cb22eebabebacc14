package io.hudizorder.zcolumn;

import static scala.collection.JavaConverters.seqAsJavaList;

import org.apache.hudi.HoodieFileIndex;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;

/**
 * What is asked of a z-column, and of which snapshot: the ranges are true of the timeline whose
 * bounds they were made of, and of no later one.
 */
final class AskedRanges {

  private final HoodieFileIndex index;
  private final HoodieTimeline snapshot;
  private final Expression predicate;

  AskedRanges(HoodieFileIndex index, HoodieTimeline snapshot, Expression predicate) {
    this.index = index;
    this.snapshot = snapshot;
    this.predicate = predicate;
  }

  Expression predicate() {
    return predicate;
  }

  /** Whether they are asked of the files that an index finds. */
  boolean areOf(HoodieFileIndex other) {
    return index.equals(other);
  }

  /** The relation, held to the snapshot. */
  LogicalRelation holding(LogicalRelation relation) {
    String zColumn = seqAsJavaList(predicate.references().toSeq()).get(0).name();
    HadoopFsRelation files = (HadoopFsRelation) relation.relation();
    return relation.copy(
        files.copy(
            new SnapshotFileIndex(index, snapshot, zColumn),
            files.partitionSchema(),
            files.dataSchema(),
            files.bucketSpec(),
            files.fileFormat(),
            files.options(),
            files.sparkSession()),
        relation.output(),
        relation.catalogTable(),
        relation.isStreaming());
  }
}
