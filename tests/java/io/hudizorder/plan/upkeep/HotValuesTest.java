package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.plan.slice.RunId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Layouts of which some files are wide in a column, as it cannot be cut any finer. */
class HotValuesTest {

  private static final long FILE = 1_000_000;
  private static final long ALL = 1_000_000;
  private static final double[] WEIGHTS = {1, 1};
  private static final List<Comparable<?>> WHOLE = List.of(0L, ALL - 1);
  private static final RunId RUN = RunId.of(Partition.LAYOUT, "1", "any");

  private final List<FileNumbers> files = new ArrayList<>();
  private Cutting cutting = Cutting.BY_GAIN;

  static Stream<Arguments> layouts() {
    return Stream.of("2 texts", "3 texts", "5 texts", "hot", "nulls", "linear")
        .flatMap(kind -> Stream.of(30, 100, 400).map(count -> Arguments.of(kind, count)));
  }

  /** Lays so many files out, about. */
  private void layOut(String kind, int count) {
    if (kind.endsWith("texts")) {
      int texts = kind.charAt(0) - '0';
      for (int text = 0; text < texts; text++) {
        addAll(List.of("text " + text, "text " + text), count / texts);
      }
    } else if (kind.equals("linear")) {
      cutting = Cutting.IN_TURN;
      for (int f = 0; f < count; f++) {
        add(part(f, count, ALL), WHOLE);
      }
    } else {
      addAll(kind.equals("hot") ? List.of(-7L, -7L) : FileNumbers.NO_VALUES, 6 * count / 10);
      int side = (int) Math.round(Math.sqrt(4 * count / 10.0));
      for (int f = 0; f < side; f++) {
        addAll(part(f, side, ALL), side);
      }
    }
  }

  /** Files of the same range in the first column, of which each has a part of the second. */
  private void addAll(List<Comparable<?>> range, int count) {
    for (int f = 0; f < count; f++) {
      add(range, part(f, count, ALL));
    }
  }

  private static List<Comparable<?>> part(int number, int of, long all) {
    return List.of(all * number / of, all * (number + 1) / of - 1);
  }

  private void add(List<Comparable<?>> first, List<Comparable<?>> second) {
    files.add(
        new FileNumbers(
            String.format("%05d", files.size()),
            FILE,
            FileNumbers.LayoutState.WANTED,
            RUN,
            "1",
            List.of(first, second)));
  }

  /** Writes new versions of files, some of them with rows of all values. */
  private void update(IntPredicate moved) {
    List<List<Comparable<?>>> all =
        List.of(
            files.stream().noneMatch(f -> f.range(0).get(0) instanceof String)
                ? WHOLE
                : List.of("text 0", "text 9"),
            WHOLE);
    for (int f = 0; f < files.size(); f++) {
      FileNumbers old = files.get(f);
      files.set(
          f,
          new FileNumbers(
              old.id(),
              FILE,
              FileNumbers.LayoutState.WANTED,
              RUN,
              "2",
              moved.test(f) ? all : List.of(old.range(0), old.range(1))));
    }
  }

  private PartitionReading reading() {
    return new PartitionReading(files, WEIGHTS, FILE, cutting);
  }

  private List<UpkeepStep> steps() {
    return new UpkeepPolicy(reading(), WEIGHTS, Long.MAX_VALUE, 1.5, Partition.LARGE_LAST, false)
        .steps();
  }

  @ParameterizedTest(name = "{0}, {1} files")
  @MethodSource("layouts")
  void updatesThatChangeNoValueHaveNothingLaidOut(String kind, int count) {
    layOut(kind, count);
    update(none -> false);

    assertThat(steps()).isEmpty();
  }

  /** Of few values in each column, in somewhat more than one file. */
  @ParameterizedTest(name = "by {0} columns")
  @ValueSource(ints = {2, 3, 10})
  void twoFilesOfTheSameRangesAreLeftAlone(int columns) {
    double[] weights = new double[columns];
    Arrays.fill(weights, 1);
    List<List<Comparable<?>>> same = Collections.nCopies(columns, List.of(0L, 1L));
    for (String id : List.of("a", "b")) {
      files.add(new FileNumbers(id, FILE * 6 / 10, FileNumbers.LayoutState.WANTED, RUN, "2", same));
    }
    PartitionReading reading = new PartitionReading(files, weights, FILE, Cutting.BY_GAIN);

    assertThat(
            new UpkeepPolicy(reading, weights, Long.MAX_VALUE, 1.5, Partition.LARGE_LAST, false)
                .steps())
        .isEmpty();
  }

  /** Or nothing would ever be laid out by a column that has none. */
  @Test
  void filesOfOneWriteThatTellNoRangeAreNoRun() {
    List<List<Comparable<?>>> unknown = List.of(List.of(), List.of());
    for (int f = 0; f < 10; f++) {
      files.add(
          new FileNumbers("f" + f, FILE, FileNumbers.LayoutState.UNKNOWN, null, "1", unknown));
    }

    assertThat(steps()).hasSize(1);
    assertThat(steps().get(0).fileIds()).hasSize(10);
  }

  @ParameterizedTest(name = "{0}, {1} files")
  @MethodSource("layouts")
  void filesThatUpdatesBringOtherValuesToAreLaidOutAnew(String kind, int count) {
    layOut(kind, count);
    update(f -> f % 5 == 0);

    List<String> moved =
        IntStream.range(0, files.size())
            .filter(f -> f % 5 == 0)
            .mapToObj(f -> files.get(f).id())
            .collect(Collectors.toList());
    assertThat(steps()).hasSize(1);
    assertThat(steps().get(0).fileIds()).containsAll(moved);
  }

  @ParameterizedTest(name = "{0}, {1} files")
  @MethodSource("layouts")
  void whatWouldBeReadIsWhatThatLayoutReads(String kind, int count) {
    layOut(kind, count);
    double read =
        reading().touched(IntStream.range(0, files.size()).boxed().collect(Collectors.toList()));

    assertThat(reading().optimum()).isCloseTo(read, Percentage.withPercentage(10));
  }
}
