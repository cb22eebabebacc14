package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.plan.slice.RunId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RunStretchesTest {

  private static final long FILE = 1_000;
  private static final long ALL = 1_000_000;
  private static final double ANY = Double.MAX_VALUE;

  /** Of runs of a grid each, of so many files along each of two columns. */
  private static List<Piece> joined(int runs, int side, boolean cut, double excess, long maxBytes) {
    List<FileNumbers> files = new ArrayList<>();
    for (int run = 0; run < runs; run++) {
      String commit = String.format("%03d", run);
      for (int f = 0; f < side * side; f++) {
        files.add(
            new FileNumbers(
                String.format("%s-%05d", commit, f),
                FILE,
                FileNumbers.LayoutState.WANTED,
                RunId.of(1, commit, commit),
                commit,
                List.of(part(f % side, side, cut), part(f / side, side, cut))));
      }
    }
    PartitionReading reading =
        new PartitionReading(files, new double[] {1, 1}, FILE, Cutting.BY_GAIN);
    return new RunStretches(reading, new PartitionRuns(reading, false).runs())
        .worthJoining(excess, maxBytes);
  }

  private static List<Comparable<?>> part(int number, int of, boolean cut) {
    return cut ? List.of(ALL * number / of, ALL * (number + 1) / of - 1) : List.of(0L, ALL - 1);
  }

  @Test
  void stretchesOfAllRunsAreJoinedAsFarAsThereIsRoom() {
    List<Piece> joined = joined(4, 8, true, ANY, 100 * FILE);

    assertThat(joined.stream().mapToLong(stretch -> stretch.bytes).sum())
        .isBetween(80 * FILE, 100 * FILE);
    // As many of each run: what lies over each other.
    assertThat(joined)
        .allSatisfy(
            stretch ->
                assertThat(
                        stretch.members.stream()
                            .collect(Collectors.groupingBy(f -> f / 64, Collectors.counting()))
                            .values())
                    .hasSize(4)
                    .containsOnly(stretch.members.size() / 4L));
    Set<Integer> members = new HashSet<>();
    assertThat(joined.stream().flatMap(stretch -> stretch.members.stream())).allMatch(members::add);
  }

  @Test
  void noMoreIsJoinedThanIsReadTooMuch() {
    assertThat(joined(4, 8, true, 0.1, 100 * FILE)).hasSize(1);
    assertThat(joined(4, 8, true, 0, 100 * FILE)).isEmpty();
  }

  @Test
  void aRunAloneIsLeftAlone() {
    assertThat(joined(1, 8, true, ANY, 20 * FILE)).isEmpty();
  }

  /** A plan would lay them out again and again. */
  @Test
  void filesThatCannotBeCutAsIsReckonedAreLeftAlone() {
    assertThat(joined(1, 8, false, ANY, 20 * FILE)).isEmpty();
  }

  @Test
  void filesThatAreLargerThanThereIsRoomForAreLeftAlone() {
    assertThat(joined(4, 8, true, ANY, FILE - 1)).isEmpty();
  }
}
