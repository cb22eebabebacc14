package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.junit.jupiter.api.Test;

class ForetoldGroupsTest {

  private static List<HoodieClusteringGroup> groups(int... files) {
    List<HoodieClusteringGroup> groups = new ArrayList<>();
    for (int count : files) {
      groups.add(HoodieClusteringGroup.newBuilder().setNumOutputFileGroups(count).build());
    }
    return groups;
  }

  @Test
  void theLargestStandForAllThatAreOfSeveralFiles() {
    ForetoldGroups foretold = ForetoldGroups.of(groups(4, 1, 4, 9, 6, 1, 1), 2);

    assertThat(foretold.sampled())
        .extracting(HoodieClusteringGroup::getNumOutputFileGroups)
        .containsExactly(9, 6);
    assertThat(foretold.whole()).hasSize(3);
    // Of 23 files 15 are sampled; the three single ones are counted as they are.
    assertThat(foretold.eachStandsFor()).isEqualTo(23 / 15.0);
  }

  @Test
  void whereAllAreSampledEachStandsForItself() {
    assertThat(ForetoldGroups.of(groups(4, 1, 2), 8).eachStandsFor()).isEqualTo(1);
    assertThat(ForetoldGroups.of(groups(1, 1), 8).sampled()).isEmpty();
  }
}
