package io.hudizorder.plan.slice;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hudi.common.model.BaseFile;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieFileGroupId;
import org.apache.hudi.common.model.HoodieLogFile;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.StoragePathInfo;
import org.junit.jupiter.api.Test;

class SliceSizesTest {

  private static StoragePathInfo file(String name, long bytes) {
    return new StoragePathInfo(new StoragePath("/t/" + name), bytes, false, (short) 1, 1, 1);
  }

  @Test
  void aSkeletonIsAsLargeAsTheFileThatHasItsRows() {
    StoragePathInfo skeleton = file("00000000-0000-0000-0000-000000000000_0-0-0_1.parquet", 5);
    FileSlice slice = new FileSlice(new HoodieFileGroupId("", "f"), "1");
    SliceSizes sizes = new SliceSizes(HoodieWriteConfig.newBuilder().withPath("/t").build());

    slice.setBaseFile(new HoodieBaseFile(skeleton));
    assertThat(sizes.of(slice)).isEqualTo(5);

    slice.setBaseFile(new HoodieBaseFile(skeleton, new BaseFile(file("source.parquet", 120))));
    assertThat(sizes.of(slice)).isEqualTo(125);
  }

  @Test
  void changeDataTakeNoBytesOfRows() {
    FileSlice slice = new FileSlice(new HoodieFileGroupId("", "f"), "1");
    SliceSizes sizes = new SliceSizes(HoodieWriteConfig.newBuilder().withPath("/t").build());

    slice.addLogFile(new HoodieLogFile(file(".f_1.log.1_0-1-1.cdc", 1000)));
    assertThat(sizes.of(slice)).isZero();

    slice.addLogFile(new HoodieLogFile(file(".f_1.log.1_0-1-2", 1000)));
    assertThat(sizes.of(slice)).isPositive().isLessThan(1000);
  }
}
