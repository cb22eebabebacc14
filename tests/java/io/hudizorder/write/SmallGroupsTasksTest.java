package io.hudizorder.write;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SmallGroupsTasksTest {

  /** Of 24 MB, of 16 GB, and of 256 GB. */
  @ParameterizedTest
  @CsvSource({"25165824,2,8", "17179869184,2,64", "17179869184,100,400", "274877906944,2,1024"})
  void aCostIsSharedAmongAsManyTasksAsItIsWorth(long cost, int cores, int tasks) {
    assertThat(SmallGroups.tasks(cost, cores)).isEqualTo(tasks);
  }

  /** Of a sample of 1,000 rows; 64 MB and a byte more. */
  @ParameterizedTest
  @CsvSource({"1,1,true", "1000,67108864,true", "1000,67108865,false", "1001,1,false", "0,1,false"})
  void aTaskHoldsAGroupOfFewRowsAndBytes(long rows, long bytes, boolean fits) {
    assertThat(SmallGroups.fits(rows, bytes, 1000)).isEqualTo(fits);
  }
}
