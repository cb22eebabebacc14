package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.plan.slice.RunId;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Of files that are cut at equal counts along a Z curve through two columns. */
class CuttingTest {

  private static final long FILE = 1_000_000;
  private static final int BITS = 8;
  private static final double[] WEIGHTS = {1, 1};

  @ParameterizedTest
  @CsvSource({
    "ZORDER, TREE, BY_GAIN",
    "HILBERT, TREE, BY_GAIN",
    "LINEAR, TREE, IN_TURN",
    "LINEAR, EQUAL, IN_TURN",
    "ZORDER, EQUAL, ALONG_Z",
    "HILBERT, EQUAL, ALONG_HILBERT"
  })
  void aLayoutCutsAsItsCurveAndCutsHaveIt(Curve curve, LayoutSpec.Cuts cuts, Cutting cutting) {
    LayoutSpec spec =
        LayoutSpec.builder()
            .columns(List.of("a"))
            .weights(new double[] {1})
            .curve(curve)
            .cuts(cuts)
            .fileOrder(LayoutSpec.FileOrder.AUTO)
            .create();

    assertThat(Cutting.of(spec)).isEqualTo(cutting);
  }

  private static PartitionReading reading(List<FileNumbers> files) {
    return new PartitionReading(files, WEIGHTS, FILE, Cutting.ALONG_Z);
  }

  /** Files that a write has changed since they were laid out, and moved no row of. */
  private static List<FileNumbers> updated(int count) {
    long rows = 1L << 2 * BITS;
    RunId run = RunId.of(Partition.LAYOUT, "2", "any");
    List<FileNumbers> files = new ArrayList<>();
    for (int f = 0; f < count; f++) {
      long[] least = {rows, rows};
      long[] greatest = {0, 0};
      for (long z = f * rows / count; z < (f + 1) * rows / count; z++) {
        for (int c = 0; c < 2; c++) {
          long value = everyOther(z >> c);
          least[c] = Math.min(least[c], value);
          greatest[c] = Math.max(greatest[c], value);
        }
      }
      files.add(
          new FileNumbers(
              String.format("updated-%05d", f),
              FILE,
              FileNumbers.LayoutState.WANTED,
              run,
              "3",
              List.of(List.of(least[0], greatest[0]), List.of(least[1], greatest[1]))));
    }
    return files;
  }

  private static long everyOther(long bits) {
    long every = 0;
    for (int bit = 0; bit < BITS; bit++) {
      every |= (bits >> 2 * bit & 1) << bit;
    }
    return every;
  }

  private static FileNumbers anywhere(String id, RunId run) {
    List<Comparable<?>> all = List.of(0L, (1L << BITS) - 1);
    FileNumbers.LayoutState layout =
        run == null ? FileNumbers.LayoutState.UNKNOWN : FileNumbers.LayoutState.WANTED;
    return new FileNumbers(id, FILE, layout, run, "4", List.of(all, all));
  }

  private static int taken(List<FileNumbers> files) {
    return new UpkeepPolicy(
            reading(files), WEIGHTS, Long.MAX_VALUE, 1.5, Partition.LARGE_LAST, false)
        .steps().stream().mapToInt(step -> step.fileIds().size()).sum();
  }

  /** The boxes of half of them lie over others: with what was fresh, all were laid out anew. */
  @ParameterizedTest(name = "{0} files, {1} fresh ones")
  @CsvSource({"50, 1", "75, 0", "75, 1", "100, 1", "100, 4", "300, 0", "300, 10"})
  void updatesThatMoveNothingLeaveARunAlone(int count, int fresh) {
    List<FileNumbers> files = updated(count);
    for (int f = 0; f < fresh; f++) {
      files.add(anywhere("fresh-" + f, null));
    }

    assertThat(taken(files)).isEqualTo(fresh);
  }

  /** Two files are cut where a grid is, and read less than any two. */
  @Test
  void aRunOfOneFileIsJoinedWithAFreshOne() {
    FileNumbers run = anywhere("run", RunId.of(Partition.LAYOUT, "4", "any"));

    assertThat(taken(List.of(run, anywhere("fresh", null)))).isEqualTo(2);
  }

  @ParameterizedTest(name = "{0} of 100 files")
  @ValueSource(ints = {20, 100})
  void filesThatAreFilledUpWithOtherRowsAreFresh(int filled) {
    List<FileNumbers> files = updated(100);
    for (int f = 0; f < filled; f++) {
      FileNumbers file = files.get(f);
      files.set(f, anywhere(file.id(), file.run().orElseThrow()));
    }

    assertThat(taken(files)).isGreaterThanOrEqualTo(filled);
  }

  @ParameterizedTest(name = "{0} files")
  @ValueSource(ints = {50, 100, 300, 500})
  void whatIsToBeReadIsWhatIsRead(int count) {
    PartitionReading reading = reading(updated(count));

    assertThat(reading.bytesReadAsOne())
        .isCloseTo(reading.bytesRead(), Percentage.withPercentage(10));
  }
}
