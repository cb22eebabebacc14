package io.hudizorder.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.LayoutSpec;
import java.util.List;
import java.util.Map;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.junit.jupiter.api.Test;

class GroupLayoutTest {

  private static final LayoutSpec SPEC = spec("a", "b");
  private static final LayoutSpec OTHER = spec("b", "a");

  private static LayoutSpec spec(String... columns) {
    return LayoutSpec.builder()
        .columns(List.of(columns))
        .weights(new double[] {1, 2})
        .curve(Curve.ZORDER)
        .build(LayoutSpec.BuildMethod.SAMPLE)
        .cuts(LayoutSpec.Cuts.TREE)
        .fileOrder(LayoutSpec.FileOrder.AUTO)
        .create();
  }

  private static HoodieClusteringGroup group(Map<String, String> said) {
    HoodieSliceInfo slice = HoodieSliceInfo.newBuilder().setFileId("f").build();
    return HoodieClusteringGroup.newBuilder()
        .setSlices(List.of(slice))
        .setExtraMetadata(said)
        .build();
  }

  @Test
  void whoeverExecutesAPlanLaysAGroupOutAsItsAuthorWould() {
    for (long fileBytes = 1; fileBytes < 20; fileBytes++) { // ids begin with any digit
      GroupLayout planned = new GroupLayout(SPEC, fileBytes).withWeights(new double[] {0.1, 3});
      HoodieClusteringGroup group = group(planned.toMetadata());

      GroupLayout read = GroupLayout.of(group, OTHER, 99);

      assertThat(read.run(group, "1")).isEqualTo(planned.run(group, "1"));
      assertThat(read.of(OTHER).weights()).containsExactly(0.1, 3);
    }
  }

  @Test
  void aGroupOfWhichNothingIsSaidIsLaidOutAsAllAre() {
    GroupLayout all = new GroupLayout(SPEC, 5);
    HoodieClusteringGroup group = group(null);

    assertThat(GroupLayout.of(group, SPEC, 5).run(group, "1")).isEqualTo(all.run(group, "1"));
    assertThat(GroupLayout.of(group, SPEC, 5).of(SPEC).weights()).containsExactly(1, 2);
  }
}
