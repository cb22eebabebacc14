package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class PartitionReadingTest {

  private static final int FILES = 16;
  private static final long FILE = 1000;
  private static final Percentage ROUNDING = Percentage.withPercentage(0.1);

  /** Of two columns with the same range. */
  private static PartitionReading reading(IntFunction<List<Comparable<?>>> range) {
    return new PartitionReading(
        IntStream.range(0, FILES)
            .mapToObj(
                f ->
                    new FileNumbers(
                        "f" + f,
                        FILE,
                        FileNumbers.LayoutState.WANTED,
                        null,
                        "1",
                        List.of(range.apply(f), range.apply(f))))
            .collect(Collectors.toList()),
        new double[] {1, 1},
        FILE,
        Cutting.BY_GAIN);
  }

  private static List<Integer> all() {
    return IntStream.range(0, FILES).boxed().collect(Collectors.toList());
  }

  /** Or a plan would be told to make reading worse. */
  @Test
  void aRunOfColumnsThatFollowOneAnotherReadsWhatAnyLayoutCanPromise() {
    PartitionReading reading = reading(f -> List.of(10.0 * f, 10.0 * f + 9));
    assertThat(reading.bytesRead()).isCloseTo(FILE, ROUNDING);

    reading.areRun(all());

    assertThat(reading.bytesReadAsOne()).isCloseTo(FILES * FILE / 4.0, ROUNDING);
    assertThat(reading.bytesRead()).isCloseTo(reading.bytesReadAsOne(), ROUNDING);
  }

  @Test
  void aRunWhoseRowsLieAnywhereReadsAllOfThem() {
    PartitionReading reading = reading(f -> List.of(0.0, 100.0));

    reading.areRun(all());

    assertThat(reading.bytesRead()).isCloseTo(FILES * FILE, ROUNDING);
  }
}
