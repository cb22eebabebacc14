package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.assertj.core.data.Percentage;

class ReadingModelTest {

  private static final long FILE = 1_000_000;

  private static double upTo(Random random, double most) {
    // Now and then none, or all; of many sizes otherwise.
    switch (random.nextInt(4)) {
      case 0:
        return random.nextBoolean() ? 0 : most;
      default:
        return most * Math.pow(random.nextDouble(), 1 + random.nextInt(8));
    }
  }

  private static double[] weights(Random random, int columns) {
    return IntStream.range(0, columns).mapToDouble(c -> 1e-6 + upTo(random, 1)).toArray();
  }

  private static double bytes(Random random) {
    return FILE * Math.pow(2, random.nextInt(20) * random.nextDouble());
  }

  /** Or plans would leave alone what is worth joining. */
  @Property(tries = 5_000, seed = "1")
  void whatIsReadAtLeastIsNoMoreThanWhatIsRead(
      @ForAll @IntRange(min = 1, max = 128) int columns,
      @ForAll Cutting cutting,
      @ForAll long seed) {
    Random random = new Random(seed);
    ReadingModel model = new ReadingModel(weights(random, columns), cutting, FILE);
    ColumnPart[] parts = new ColumnPart[columns];
    for (int c = 0; c < columns; c++) {
      double span = upTo(random, 1);
      double hot = upTo(random, span);
      parts[c] =
          new ColumnPart(
              span, Math.max(1e-300, upTo(random, 1)), hot, upTo(random, hot), upTo(random, 1));
    }
    double bytes = bytes(random);

    assertThat(model.atLeast(bytes, parts))
        .isLessThanOrEqualTo((1 + 1e-9) * model.laidOut(bytes, parts));
  }

  /** Or pairs that are not worth joining would take their time all the same. */
  @Property(tries = 5_000, seed = "1")
  void withoutNullsAndHotValuesItIsWhatIsRead(
      @ForAll @IntRange(min = 1, max = 6) int columns, @ForAll long seed) {
    Random random = new Random(seed);
    ReadingModel model = new ReadingModel(weights(random, columns), Cutting.BY_GAIN, FILE);
    ColumnPart[] parts = new ColumnPart[columns];
    for (int c = 0; c < columns; c++) {
      parts[c] = new ColumnPart(1e-6 + upTo(random, 1), Math.max(1e-300, upTo(random, 1)), 0, 0, 0);
    }
    double bytes = bytes(random);

    assertThat(model.atLeast(bytes, parts))
        .isCloseTo(model.laidOut(bytes, parts), Percentage.withPercentage(1e-6));
  }
}
