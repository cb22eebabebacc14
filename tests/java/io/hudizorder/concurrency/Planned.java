package io.hudizorder.concurrency;

import java.util.List;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieSliceInfo;

/** A plan that replaces file group f1 of partition p. */
final class Planned {

  private Planned() {}

  static FileGroups files(String base, String... logs) {
    return FileGroups.replacedBy(plan(base, logs));
  }

  static HoodieClusteringPlan plan(String base, String... logs) {
    HoodieSliceInfo slice =
        HoodieSliceInfo.newBuilder()
            .setPartitionPath("p")
            .setFileId("f1")
            .setDataFilePath("/lake/t/p/" + base)
            .setDeltaFilePaths(List.of(logs))
            .build();
    HoodieClusteringGroup group =
        HoodieClusteringGroup.newBuilder().setSlices(List.of(slice)).build();
    return HoodieClusteringPlan.newBuilder().setInputGroups(List.of(group)).build();
  }
}
