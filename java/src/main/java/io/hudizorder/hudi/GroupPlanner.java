package io.hudizorder.hudi;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.common.model.FileSlice;

/** Plans the groups of one partition; called by Hudi's strategy, in tasks. */
public interface GroupPlanner extends Serializable {

  /**
   * The groups.
   *
   * @param slices that may be clustered
   */
  Stream<HoodieClusteringGroup> groups(String partition, List<FileSlice> slices);

  /** What the plan tells whoever executes it. */
  Map<String, String> parameters();
}
