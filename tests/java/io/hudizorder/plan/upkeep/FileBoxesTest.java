package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileBoxesTest {

  private static FileNumbers file(String id, long low, long high) {
    return new FileNumbers(
        id, 1, FileNumbers.LayoutState.UNKNOWN, null, "", List.of(List.of(low, high)));
  }

  /** Of neighbours that a value lies on both sides of the cut few rows are in both. */
  @ParameterizedTest
  @CsvSource({
    "1, 5, 6, 9, false",
    "1, 5, 5, 9, false",
    "1, 5, 4, 9, true",
    "1, 9, 4, 5, true",
    "1, 5, 5, 5, true",
    "5, 5, 5, 5, true",
    "1, 5, 6, 6, false"
  })
  void filesMeetThatShareMoreThanTheEndsOfTheirRanges(
      long low, long high, long otherLow, long otherHigh, boolean meet) {
    List<FileNumbers> files = List.of(file("a", low, high), file("b", otherLow, otherHigh));
    FileBoxes boxes = new FileBoxes(files, 1);

    assertThat(boxes.meet(0, 1)).isEqualTo(meet);
    assertThat(boxes.meet(1, 0)).isEqualTo(meet);
  }
}
