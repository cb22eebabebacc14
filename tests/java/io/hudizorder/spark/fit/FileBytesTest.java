package io.hudizorder.spark.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class FileBytesTest {

  @Test
  void whatTheSecondHalfCostIsWhatFurtherRowsCost() {
    FileBytes bytes = FileBytes.through(1000, 700, 500, 600, 0);

    assertThat(bytes.of(bytes.added(1000))).isCloseTo(700, within(1e-9));
    assertThat(bytes.of(bytes.added(10_000))).isCloseTo(500 + 2000, within(1e-9));
  }

  @Test
  void whatAFileCostsWithoutRowsLeavesLessRoomInIt() {
    FileBytes bytes = FileBytes.through(1000, 700, 500, 600, 0);

    assertThat(bytes.files(bytes.added(10_000), 1500)).isEqualTo(2);
    assertThat(bytes.files(bytes.added(10_001), 1500)).isEqualTo(3);
    // Even where it would leave none.
    assertThat(bytes.files(bytes.added(10_000), 400)).isEqualTo(10);
  }

  @Test
  void aSmallSampleCompressesWorseThanItsTable() {
    assertThat(files(FileBytes.through(1000, 1000, 500, 500, 1), 1e6, 1000)).isEqualTo(940);
    assertThat(files(FileBytes.through(1000, 1000, 500, 500, 9), 1e6, 1000)).isEqualTo(800);
  }

  @Test
  void rowsThatCostNothingMoreFillOneFile() {
    assertThat(files(FileBytes.through(1000, 400, 500, 400, 0), 1e9, 1000)).isEqualTo(1);
    assertThat(files(FileBytes.through(1000, 390, 500, 400, 0), 1e9, 1000)).isEqualTo(1);
  }

  @Test
  void aSampleThatCannotBeHalvedCostsWhatItsFileDoes() {
    assertThat(files(FileBytes.through(1000, 400, 1000, 400, 0), 10_000, 1000)).isEqualTo(4);
  }

  @Test
  void noRowsAreOneFile() {
    assertThat(files(FileBytes.through(0, 400, 0, 400, 0), 0, 1000)).isEqualTo(1);
  }

  private static int files(FileBytes bytes, double memory, long target) {
    return bytes.files(bytes.added(memory), target);
  }
}
