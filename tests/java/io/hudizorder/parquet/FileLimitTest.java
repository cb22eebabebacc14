package io.hudizorder.parquet;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

class FileLimitTest {
  private static final HoodieWriteConfig CONFIG =
      HoodieWriteConfig.newBuilder().withPath("/any").build();
  private static final StructType SCHEMA = StructType.fromDDL("id BIGINT, text STRING");

  private static long limit(long target) {
    return FileLimit.of(CONFIG, 20_000, SCHEMA, target);
  }

  @Test
  void liesBelowTwoTargetsAndOpenPages() {
    assertThat(limit(1L << 30)).isBetween(1L << 30, (2L << 30) + (4L << 20));
  }

  @Test
  void theLargestTargetThereIsIsNoLimit() {
    assertThat(limit(Long.MAX_VALUE)).isGreaterThan(1L << 60);
  }
}
