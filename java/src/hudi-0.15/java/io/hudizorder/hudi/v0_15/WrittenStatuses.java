package io.hudizorder.hudi.v0_15;

import org.apache.hudi.client.WriteStatus;
import org.apache.spark.api.java.JavaRDD;

/** What was written of a plan, of which no row may be left: Hudi 0.15 takes that for a failure. */
final class WrittenStatuses extends JavaRDD<WriteStatus> {

  private static final long serialVersionUID = 1L;

  WrittenStatuses(JavaRDD<WriteStatus> written) {
    super(written.rdd(), written.classTag());
  }

  /** {@code SparkRDDTableServiceClient} asks before it commits. */
  @Override
  public boolean isEmpty() {
    return false;
  }
}
