package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.plan.slice.RunId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionRunsTest {

  private static final int FILES = 16;
  private static final long FILE = 1_000_000;

  /** Files of a write, of which some reach over the next, beside what a clustering has left. */
  private static PartitionRuns runs(String commit, int wide) {
    List<FileNumbers> files = new ArrayList<>();
    for (int f = 0; f < FILES; f++) {
      files.add(
          new FileNumbers(
              "file " + f,
              FILE,
              FileNumbers.LayoutState.UNKNOWN,
              null,
              commit,
              List.of(List.of(1_000L * f, 1_000L * f + (f < wide ? 1_400 : 900)))));
    }
    files.add(
        new FileNumbers(
            "clustered",
            FILE,
            FileNumbers.LayoutState.WANTED,
            RunId.of(Partition.LAYOUT, "2", "any"),
            "2",
            List.of(List.of(0L, 1_000L * FILES))));
    return new PartitionRuns(
        new PartitionReading(files, new double[] {1}, FILE, Cutting.BY_GAIN), false);
  }

  /**
   * Where six reach over the next, too much is read for a run: but a plan has seen them and has
   * left them alone, and what they span may have changed since.
   */
  @ParameterizedTest(name = "written at {0}, clustered at 2, {1} reach over the next")
  @CsvSource({"1, 2, 0", "3, 2, 0", "1, 6, 0", "3, 6, 16", "1, 12, 16", "3, 12, 16"})
  void filesThatAPlanHasLeftAloneAreJudgedLessStrictly(String commit, int wide, int fresh) {
    assertThat(runs(commit, wide).fresh()).hasSize(fresh);
  }

  /** A run that is cut by the first of eight columns alone, in which an update has moved values. */
  @ParameterizedTest(name = "the files'' ranges of the first column begin {0} apart")
  @CsvSource({"1000, 0", "0, 20"})
  void updatedFilesAreFreshOnceTheyLieOverEachOtherInTheColumnsThatAreCut(long apart, int fresh) {
    RunId run = RunId.of(Partition.LAYOUT, "2", "any");
    double[] weights = {1, .05, .05, .05, .05, .05, .05, .05};
    List<FileNumbers> files = new ArrayList<>();
    for (int f = 0; f < 20; f++) {
      long least = f * apart;
      List<List<Comparable<?>>> ranges = new ArrayList<>();
      ranges.add(List.of(least, least + 19_999 - 19 * apart));
      while (ranges.size() < weights.length) {
        ranges.add(List.of(0L, 1_000_000L));
      }
      String id = String.format("updated-%02d", f);
      files.add(new FileNumbers(id, FILE, FileNumbers.LayoutState.WANTED, run, "3", ranges));
    }
    PartitionReading reading = new PartitionReading(files, weights, FILE, Cutting.BY_GAIN);
    assertThat(new PartitionRuns(reading, false).fresh()).hasSize(fresh);
  }
}
