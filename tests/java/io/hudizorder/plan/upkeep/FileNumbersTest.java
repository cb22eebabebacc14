package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.plan.slice.RunId;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FileNumbersTest {

  private static final String WRITTEN = "20260101000000001";
  private static final String LOGGED = "20260101000000002";
  private static final List<Comparable<?>> UNKNOWN = List.of();
  private static final RunId RUN = RunId.of(1, WRITTEN, "any");

  @Test
  void logsThatHoldNothingOutsideOfItsRangesLeaveAFileAsItWas() {
    FileNumbers file = file(RUN, range(10, 20), range(5, 6));

    assertThat(file.merged(List.of(range(10, 15), UNKNOWN), LOGGED)).isSameAs(file);
    assertThat(file.isChanged()).isFalse();
  }

  @Test
  void logsThatMoveRowsChangeAFileOfARunAsAWriteDoes() {
    FileNumbers merged = file(RUN, range(10, 20)).merged(List.of(range(3, 12)), LOGGED);

    assertThat(merged.range(0)).isEqualTo(range(3, 20));
    assertThat(merged.isChanged()).isTrue();
    assertThat(merged.commit()).isEqualTo(LOGGED);
    assertThat(merged.layout()).isEqualTo(FileNumbers.LayoutState.WANTED);
  }

  /** Log files of tables before version 8 are named by the time of their slice. */
  @Test
  void aFileIsChangedWhateverTheTimeOfItsLogs() {
    assertThat(file(RUN, range(10, 20)).merged(List.of(range(3, 12)), WRITTEN).isChanged())
        .isTrue();
  }

  /** The mark of a bulk insert is in the footer, which a write that merges the logs would lose. */
  @Test
  void logsThatMoveRowsTakeWhatAFooterTellsOfTheLayout() {
    FileNumbers merged = file(null, range(10, 20)).merged(List.of(range(3, 30)), LOGGED);

    assertThat(merged.layout()).isEqualTo(FileNumbers.LayoutState.UNKNOWN);
    assertThat(merged.isChanged()).isFalse();
  }

  @ParameterizedTest
  @MethodSource("joined")
  void whatNobodyKnowsIsTakenForNoRange(
      String commit,
      List<Comparable<?>> base,
      List<Comparable<?>> logs,
      List<Comparable<?>> merged) {
    FileNumbers file = file(commit, null, base, range(1, 2));

    assertThat(file.merged(List.of(logs, range(1, 3)), LOGGED).range(0)).isEqualTo(merged);
  }

  static Stream<Arguments> joined() {
    List<Comparable<?>> nulls = Arrays.asList(null, null);
    return Stream.of(
        Arguments.of(WRITTEN, UNKNOWN, range(1, 2), UNKNOWN),
        Arguments.of(WRITTEN, range(1, 2), UNKNOWN, range(1, 2)),
        Arguments.of(WRITTEN, range(1, 2), nulls, range(1, 2)),
        Arguments.of(WRITTEN, FileNumbers.NO_VALUES, range(1, 2), range(1, 2)),
        Arguments.of("", UNKNOWN, range(1, 2), range(1, 2)),
        Arguments.of("", UNKNOWN, nulls, UNKNOWN));
  }

  /** By which it is told apart. */
  @Test
  void aColumnOfNullsAloneStaysOne() {
    FileNumbers file = file(RUN, FileNumbers.NO_VALUES, range(1, 2));

    assertThat(file.merged(List.of(Arrays.asList(null, null), range(1, 3)), LOGGED).range(0))
        .isSameAs(FileNumbers.NO_VALUES);
  }

  private static List<Comparable<?>> range(long low, long high) {
    return List.of(low, high);
  }

  @SafeVarargs
  private static FileNumbers file(RunId run, List<Comparable<?>>... ranges) {
    return file(WRITTEN, run, ranges);
  }

  @SafeVarargs
  private static FileNumbers file(String commit, RunId run, List<Comparable<?>>... ranges) {
    String id = run == null ? UUID.randomUUID().toString() : run.fileId(UUID.randomUUID());
    return new FileNumbers(id, 1, FileNumbers.LayoutState.WANTED, run, commit, List.of(ranges));
  }
}
