package io.hudizorder.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieReplaceCommitMetadata;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Of a plan for file groups f1 and f2 of partition p. */
class ReplacedAsPlannedTest {

  @ParameterizedTest
  @CsvSource({
    "'f1,f2', f3, '', ''",
    "'f1', f3, f2, ''",
    "'f1,f2,f9', f3, '', f9",
    "'', f3, 'f1,f2', ''",
    // As Hudi's strategies do that sort a file in its place.
    "'f1', f2, '', ''"
  })
  void whatIsNotReplacedIsKeptAndWhatWasNotPlannedHidden(
      String replaced, String written, String kept, String hidden) {
    HoodieReplaceCommitMetadata commit = new HoodieReplaceCommitMetadata();
    commit.setPartitionToReplaceFileIds(Map.of("p", ids(replaced)));
    HoodieWriteStat stat = new HoodieWriteStat();
    stat.setPartitionPath("p");
    stat.setFileId(written);
    commit.addWriteStat("p", stat);

    ReplacedAsPlanned groups = new ReplacedAsPlanned(plan("f1", "f2"), commit);

    assertThat(groups.kept()).extracting(HoodieFileGroupId::getFileId).isEqualTo(ids(kept));
    assertThat(groups.hidden()).extracting(HoodieFileGroupId::getFileId).isEqualTo(ids(hidden));
  }

  private static List<String> ids(String listed) {
    return Stream.of(listed.split(",")).filter(id -> !id.isEmpty()).collect(Collectors.toList());
  }

  private static HoodieClusteringPlan plan(String... fileIds) {
    List<HoodieSliceInfo> slices =
        Stream.of(fileIds)
            .map(id -> HoodieSliceInfo.newBuilder().setPartitionPath("p").setFileId(id).build())
            .collect(Collectors.toList());
    return HoodieClusteringPlan.newBuilder()
        .setInputGroups(List.of(HoodieClusteringGroup.newBuilder().setSlices(slices).build()))
        .build();
  }
}
