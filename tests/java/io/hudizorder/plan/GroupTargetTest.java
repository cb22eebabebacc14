package io.hudizorder.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hudi.config.HoodieClusteringConfig;
import org.apache.hudi.config.HoodieWriteConfig;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GroupTargetTest {

  @ParameterizedTest
  @CsvSource({
    // As planned, though the last file is not full.
    "250, 3, 100",
    "1, 1, 100",
    // By a plan of smaller or larger files.
    "250, 5, 50",
    "250, 1, 250",
    "3, 9, 1",
    "0, 1, 100",
    "0, 0, 1"
  })
  void aFileHasTheBytesThatGiveAsManyAsWerePlanned(long groupBytes, int planned, long target) {
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder()
            .withPath("/any")
            .withClusteringConfig(
                HoodieClusteringConfig.newBuilder().withClusteringTargetFileMaxBytes(100).build())
            .build();

    assertThat(new GroupTarget(config, groupBytes).of(planned)).isEqualTo(target);
  }
}
