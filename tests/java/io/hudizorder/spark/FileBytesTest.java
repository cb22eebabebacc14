package io.hudizorder.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class FileBytesTest {

  @Test
  void whatTheSecondHalfCostIsWhatFurtherRowsCost() {
    FileBytes bytes = FileBytes.through(1000, 700, 500, 600, 0);

    assertThat(bytes.of(1000)).isCloseTo(700, within(1e-9));
    assertThat(bytes.of(10_000)).isCloseTo(500 + 2000, within(1e-9));
  }

  @Test
  void whatAFileCostsWithoutRowsLeavesLessRoomInIt() {
    FileBytes bytes = FileBytes.through(1000, 700, 500, 600, 0);

    assertThat(bytes.files(10_000, 1500)).isEqualTo(2);
    assertThat(bytes.files(10_001, 1500)).isEqualTo(3);
    // Even where it would leave none.
    assertThat(bytes.files(10_000, 400)).isEqualTo(10);
  }

  @Test
  void aSmallSampleCompressesWorseThanItsTable() {
    assertThat(FileBytes.through(1000, 1000, 500, 500, 1).files(1e6, 1000)).isEqualTo(940);
    assertThat(FileBytes.through(1000, 1000, 500, 500, 9).files(1e6, 1000)).isEqualTo(800);
  }

  @Test
  void rowsThatCostNothingMoreFillOneFile() {
    assertThat(FileBytes.through(1000, 400, 500, 400, 0).files(1e9, 1000)).isEqualTo(1);
    assertThat(FileBytes.through(1000, 390, 500, 400, 0).files(1e9, 1000)).isEqualTo(1);
  }

  @Test
  void aSampleThatCannotBeHalvedCostsWhatItsFileDoes() {
    assertThat(FileBytes.through(1000, 400, 1000, 400, 0).files(10_000, 1000)).isEqualTo(4);
  }

  @Test
  void noRowsAreOneFile() {
    assertThat(FileBytes.through(0, 400, 0, 400, 0).files(0, 1000)).isEqualTo(1);
  }
}
