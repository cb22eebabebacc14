package io.hudizorder.layout.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.layout.split.WeighedColumns;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Trees grown from a sample, measured on all rows of the table it was drawn from. {@link
 * SplitTreeQualityBenchmark} does the same for every number of files.
 */
class SplitTreeQualityTest {
  private static final int ROWS = 200_000;
  private static final int SAMPLED = 40_000;
  private static final int[] FILES = {20, 45, 91};
  private static final int[] MORE_FILES = {32, 128};

  static Stream<Arguments> independentColumns() {
    return arguments(Tables.ofIndependentColumns(ROWS));
  }

  static Stream<Arguments> awkwardColumns() {
    return arguments(Tables.ofAwkwardColumns(ROWS));
  }

  private static Stream<Arguments> arguments(Map<String, Supplier<long[][]>> tables) {
    return tables.entrySet().stream().map(table -> Arguments.of(table.getKey(), table.getValue()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("independentColumns")
  void independentColumnsAreWithinSixPercentOfTheOptimum(String name, Supplier<long[][]> table) {
    assertQuality(name, table.get(), FILES, 1.06);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("awkwardColumns")
  void awkwardColumnsAreWithinFifteenPercent(String name, Supplier<long[][]> table) {
    assertQuality(name, table.get(), FILES, 1.15);
  }

  @Tag("slow")
  @ParameterizedTest(name = "{0}")
  @MethodSource("independentColumns")
  void independentColumnsInOtherNumbersOfFilesAreToo(String name, Supplier<long[][]> table) {
    assertQuality(name, table.get(), MORE_FILES, 1.06);
  }

  @Tag("slow")
  @ParameterizedTest(name = "{0}")
  @MethodSource("awkwardColumns")
  void awkwardColumnsInOtherNumbersOfFilesAreToo(String name, Supplier<long[][]> table) {
    assertQuality(name, table.get(), MORE_FILES, 1.15);
  }

  @ParameterizedTest(name = "{0} files")
  @CsvSource({"40, 1.15", "400, 1.05"})
  void weighedColumnsAreNearWhatTheirWeightsAllow(int files, double most) {
    double[][] all = {{1, 1}, {8, 1}, {20, 1}, {4, 2, 1}, {20, 5, 1}, {1, 1, 1, 1}, {8, 4, 2, 1}};
    for (double[] weights : all) {
      long[][] table = Tables.uniform(ROWS, weights.length, 11);
      WeighedColumns columns =
          new WeighedColumns(table, Tables.sample(table, 2 * SAMPLED, 1), weights);
      assertThat(columns.ratio(columns.plain(files)))
          .as("%s: read share / bound", columns.name())
          .isLessThanOrEqualTo(most);
    }
  }

  private static void assertQuality(String name, long[][] table, int[] numbers, double most) {
    int columns = table.length - 1;
    long[][] sample = Tables.sample(table, SAMPLED, 1);
    for (int files : numbers) {
      SplitTree tree = SplitTree.build(sample, Tables.equalWeights(columns), files);
      Forecast measured = Forecast.of(tree, table);
      assertThat(measured.files()).isEqualTo(files);
      assertThat(measured.ratioToOptimum(columns))
          .as("%s, %d files: touched share / optimum", name, files)
          .isLessThanOrEqualTo(most);
      assertThat(measured.emptiest()).as("%s, %d files: emptiest", name, files).isGreaterThan(0.7);
      assertThat(measured.fullest()).as("%s, %d files: fullest", name, files).isLessThan(1.4);
    }
  }
}
