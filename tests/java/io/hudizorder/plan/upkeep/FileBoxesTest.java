package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

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

  static List<Arguments> columns() {
    return List.of(
        Arguments.of(1L, 10L, 0.1),
        Arguments.of(LocalDate.ofEpochDay(-2), LocalDate.ofEpochDay(1), 0.25),
        Arguments.of(false, true, 0.5),
        Arguments.of(7L, 7L, 1),
        Arguments.of(1.0, 2.0, 0));
  }

  /** A day of four is a quarter of them, however many files there are. */
  @ParameterizedTest
  @MethodSource("columns")
  void noFileHasLessOfAColumnThanOneValueOfIt(Comparable<?> low, Comparable<?> high, double least) {
    FileNumbers file =
        new FileNumbers(
            "a", 1, FileNumbers.LayoutState.UNKNOWN, null, "", List.of(List.of(low, high)));

    assertThat(new FileBoxes(List.of(file), 1).least(0)).isCloseTo(least, within(1e-9));
  }
}
