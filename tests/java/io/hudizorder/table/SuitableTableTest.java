package io.hudizorder.table;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.junit.jupiter.api.Test;

class SuitableTableTest {

  private static final String BUCKET = "00000003-1c2d-4d5e-8f6a-7b8c9d0e1f2a-0";
  private static final String OTHER = "9f4d3c2b-1c2d-4d5e-8f6a-7b8c9d0e1f2a-0";

  private static HoodieClusteringPlan plan(String... fileIds) {
    List<HoodieClusteringGroup> groups =
        Stream.of(fileIds)
            .map(id -> HoodieSliceInfo.newBuilder().setFileId(id).build())
            .map(slice -> HoodieClusteringGroup.newBuilder().setSlices(List.of(slice)).build())
            .collect(Collectors.toList());
    return HoodieClusteringPlan.newBuilder().setInputGroups(groups).build();
  }

  @Test
  void aPlanForBucketsIsRefused() {
    assertThatThrownBy(() -> SuitableTable.require(plan(BUCKET, BUCKET)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("numbered as buckets are, '" + BUCKET + "'");
  }

  @Test
  void aFileThatLooksLikeABucketByChanceIsNone() {
    assertThatCode(() -> SuitableTable.require(plan(BUCKET, OTHER))).doesNotThrowAnyException();
    assertThatCode(() -> SuitableTable.require(plan())).doesNotThrowAnyException();
  }
}
