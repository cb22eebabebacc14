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
    return limit(SCHEMA, target);
  }

  private static long limit(StructType schema, long target) {
    return FileLimit.of(CONFIG, 20_000, schema, target);
  }

  /** Of the two columns' open pages, of which one is as large as a page of Parquet may be. */
  private static final long OPEN = (1 << 20) + 20_000 * 8;

  @Test
  void liesBelowTwoTargetsWhateverIsOpen() {
    for (long target = 2 * OPEN + 1; target < 1L << 31; target += target / 3) {
      assertThat(limit(target)).isBetween((long) (1.4 * target) + OPEN, (long) (1.9 * target) + 1);
    }
  }

  @Test
  void cutsNoLeafApartForItsOpenPagesWhereTheyAreMost() {
    for (long target = 1; target < 2 * OPEN; target *= 2) {
      assertThat(limit(target)).isGreaterThanOrEqualTo((long) (1.4 * target) + OPEN);
    }
  }

  @Test
  void allowsForLargerOpenPagesOfTextsThanOfNumbers() {
    StructType texts = StructType.fromDDL("a STRING, b STRING");
    StructType numbers = StructType.fromDDL("a BIGINT, b DATE");

    assertThat(limit(texts, 1) - limit(numbers, 1)).isEqualTo(2 * ((1 << 20) - 20_000 * 8));
  }

  @Test
  void isOfHudiWhatHudiMakesTheSame() {
    long told = FileLimit.ofHudi(CONFIG, 20_000, SCHEMA, 1L << 30);
    assertThat(told + Math.round(0.1 * told)).isBetween(limit(1L << 30) - 2, limit(1L << 30));
  }

  @Test
  void theLargestTargetThereIsIsNoLimit() {
    assertThat(limit(Long.MAX_VALUE)).isGreaterThan(1L << 60);
  }
}
