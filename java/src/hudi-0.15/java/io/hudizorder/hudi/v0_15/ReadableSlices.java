package io.hudizorder.hudi.v0_15;

import io.hudizorder.plan.slice.LatestSchema;
import io.hudizorder.plan.slice.PlannedSlice;
import io.hudizorder.plan.slice.RowLogs;
import java.io.Serializable;
import java.util.Optional;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.internal.schema.InternalSchema;

/**
 * Which file slices {@link LogMergingReader} finds all rows of, and merges as queries do, as far as
 * a plan tells; what footers tell it finds by itself.
 */
final class ReadableSlices implements Serializable {

  private static final long serialVersionUID = 1L;

  private final HoodieWriteConfig config;

  /** By schema on read. */
  private final Option<InternalSchema> evolved;

  ReadableSlices(HoodieWriteConfig config, Option<InternalSchema> evolved) {
    this.config = config;
    this.evolved = evolved;
  }

  /**
   * Looks at the slices of a plan.
   *
   * @throws IllegalArgumentException with why one cannot be read
   */
  void require(HoodieClusteringPlan plan) {
    plan.getInputGroups().stream()
        .flatMap(group -> PlannedSlice.ofGroup(config.getBasePath(), group))
        .flatMap(slice -> refusal(slice).stream())
        .findFirst()
        .ifPresent(
            refusal -> {
              throw new IllegalArgumentException(refusal);
            });
  }

  /** Why a slice cannot be read, if so. */
  Optional<String> refusal(FileSlice slice) {
    boolean merges = RowLogs.of(slice).findAny().isPresent();
    if (slice.getBaseFile().flatMap(HoodieBaseFile::getBootstrapBaseFile).isPresent()) {
      return Optional.of(refusal("is bootstrapped"));
    }
    if (merges && evolved.isPresent()) {
      return Optional.of(refusal("has log files, and its schema evolved on read"));
    }
    if (!LatestSchema.isOf(slice, evolved)) {
      return Optional.of(refusal("has files from before its schema evolved on read"));
    }
    if (merges && config.getRecordMerger().getRecordType() != HoodieRecordType.AVRO) {
      return Optional.of(
          refusal(
              "has log files, and merges records of Spark, by '"
                  + HoodieWriteConfig.RECORD_MERGER_IMPLS.key()
                  + "'"));
    }
    return Optional.empty();
  }

  /**
   * A message.
   *
   * @param what is found of the table
   */
  String refusal(String what) {
    return String.format(
        "Cannot cluster: table '%s' %s, which Hudi 0.15 has no reader for; compact it or rewrite"
            + " these files first, or cluster by Hudi 1.0 or later",
        config.getBasePath(), what);
  }
}
