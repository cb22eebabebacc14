package io.hudizorder.layout.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.hudizorder.key.Words;
import io.hudizorder.layout.rank.WordTable;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SplitTreeTest {
  private static final int ROWS = 20_000;

  @Test
  void orderOfTheSampleDoesNotMatter() {
    long[][] table = Tables.zipf(ROWS, 3, 1);
    SplitTree tree = SplitTree.build(table, Tables.equalWeights(3), 50);
    SplitTree same = SplitTree.build(Tables.shuffled(table, 2), Tables.equalWeights(3), 50);
    assertThat(filesOf(same, table)).isEqualTo(filesOf(tree, table));
  }

  @Test
  void filesAreEquallyFullWhereSplitsAreJudgedBySomeOfManyRows() {
    long[][] table = Tables.lognormal(300_000, 2, 4);
    Forecast forecast = Forecast.of(SplitTree.build(table, Tables.equalWeights(2), 2_500), table);
    assertThat(forecast.files()).isEqualTo(2_500);
    assertThat(forecast.emptiest()).isGreaterThan(0.7);
    assertThat(forecast.fullest()).isLessThan(1.4);
    assertThat(forecast.ratioToOptimum(2)).isLessThan(1.06);
  }

  @Test
  void orderOfManyRowsDoesNotMatter() {
    long[][] table = Tables.uniform(50_000, 2, 5);
    Arrays.sort(table[0]);
    SplitTree sorted = SplitTree.build(table, Tables.equalWeights(2), 2_500);
    SplitTree same = SplitTree.build(Tables.shuffled(table, 6), Tables.equalWeights(2), 2_500);
    assertThat(filesOf(same, table)).isEqualTo(filesOf(sorted, table));
  }

  @Test
  void serializedTreeRoutesTheSame() throws Exception {
    long[][] table = Tables.uniform(ROWS, 2, 1);
    SplitTree tree = SplitTree.build(table, Tables.equalWeights(2), 50);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(tree);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      SplitTree read = (SplitTree) in.readObject();
      assertThat(read.files()).isEqualTo(50);
      assertThat(filesOf(read, table)).isEqualTo(filesOf(tree, table));
    }
  }

  @Test
  void boxesAreDisjoint() {
    long[][] table = Tables.lognormal(ROWS, 2, 3);
    SplitTree tree = SplitTree.build(table, Tables.equalWeights(2), 40);
    int[] files = filesOf(tree, table);
    long[][] low = new long[2][40];
    long[][] high = new long[2][40];
    for (int c = 0; c < 2; c++) {
      Arrays.fill(low[c], Long.MAX_VALUE);
      Arrays.fill(high[c], Long.MIN_VALUE);
      for (int row = 0; row < ROWS; row++) {
        long word = table[c][row] ^ Long.MIN_VALUE;
        low[c][files[row]] = Math.min(low[c][files[row]], word);
        high[c][files[row]] = Math.max(high[c][files[row]], word);
      }
    }
    for (int a = 0; a < 40; a++) {
      for (int b = 0; b < a; b++) {
        boolean apart = false;
        for (int c = 0; c < 2; c++) {
          apart |= high[c][a] < low[c][b] || high[c][b] < low[c][a];
        }
        assertThat(apart).as("files %d and %d", a, b).isTrue();
      }
    }
  }

  @Test
  void oneColumnIsSortedIntoFiles() {
    long[][] table = {Tables.uniform(ROWS, 1, 1)[0]};
    SplitTree tree = SplitTree.build(table, new double[] {1}, 30);
    Arrays.sort(table[0]);
    int[] files = filesOf(tree, table);
    assertThat(files).isSorted();
    assertThat(Forecast.of(tree, table).ratioToOptimum(1)).isCloseTo(1, within(0.001));
  }

  @Test
  void oneFileHoldsEverything() {
    SplitTree tree = SplitTree.build(Tables.uniform(100, 2, 1), Tables.equalWeights(2), 1);
    assertThat(tree.files()).isEqualTo(1);
    assertThat(tree.fileOf(new long[] {0, -1, 5})).isZero();
  }

  @Test
  void withoutSampledRowsThereIsOneFile() {
    SplitTree tree = SplitTree.build(new long[2][0], new double[] {1, 0}, 8);
    assertThat(tree.files()).isEqualTo(1);
    assertThat(tree.fileOf(new long[] {7, 7})).isZero();
  }

  @Test
  void equalRowsCannotBeToldApart() {
    long[][] table = {new long[300]};
    Arrays.setAll(table[0], row -> 1 + row % 3);
    SplitTree tree = SplitTree.build(table, new double[] {1}, 10);
    assertThat(tree.files()).isEqualTo(3);
    assertThat(IntStream.of(0, 1, 2).map(value -> tree.fileOf(new long[] {1 + value})))
        .containsExactly(0, 1, 2);
  }

  @Test
  void valuesAreFoundHoweverManyRowsShareThem() {
    long[][] table = {new long[300_000]};
    Arrays.setAll(table[0], row -> 1 + row % 30);
    SplitTree tree = SplitTree.build(table, new double[] {1}, 3_000);
    assertThat(tree.files()).isEqualTo(30);
    assertThat(Forecast.of(tree, table).fullest()).isEqualTo(1);
  }

  @Test
  void tieBreakerTellsEqualRowsApart() {
    long[][] table = Tables.derived(ROWS, 1, (x, random) -> random.nextInt(3));
    Forecast forecast = Forecast.of(SplitTree.build(table, Tables.equalWeights(1), 20), table);
    assertThat(forecast.files()).isEqualTo(20);
    assertThat(forecast.emptiest()).isGreaterThan(0.8);
    assertThat(forecast.fullest()).isLessThan(1.25);
    // Every file holds one value, but for two where the values meet.
    assertThat(forecast.touched(0)).isLessThan(1.25 / 3);
  }

  @Test
  void tieBreakerIsIdleWhereColumnsSuffice() {
    long[][] table = Tables.lognormal(ROWS, 2, 1);
    SplitTree tree = SplitTree.build(table, Tables.equalWeights(2), 100);
    int[] files = filesOf(tree, table);
    Arrays.fill(table[2], 1);
    assertThat(filesOf(tree, table)).isEqualTo(files);
  }

  @Test
  void heavyValueIsSplitAlongTheOtherColumns() {
    long[][] table =
        Tables.derived(
            ROWS, 1, (x, random) -> random.nextBoolean() ? 0.5 : random.nextDouble(), (x, r) -> x);
    Forecast forecast = Forecast.of(SplitTree.build(table, Tables.equalWeights(2), 40), table);
    assertThat(forecast.files()).isEqualTo(40);
    assertThat(forecast.fullest()).isLessThan(1.25);
    // The half of the rows with the heavy value, in some 20 files, is sorted by the other column
    // alone; the other half is a grid of 20 files.
    double heavyHalf = 0.5 / 20;
    double otherHalf = 0.5 / Math.sqrt(20);
    assertThat(forecast.touched(1))
        .isCloseTo(heavyHalf + otherHalf, within(0.03))
        .isLessThan(heavyHalf + otherHalf);
  }

  @Test
  void constantAndAllNullColumnsChangeNothing() {
    long[][] table = Tables.uniform(ROWS, 2, 1);
    long[] constant = new long[ROWS];
    Arrays.fill(constant, 42);
    long[][] wider = {table[0], constant, table[1], new long[ROWS], table[2]};
    SplitTree tree = SplitTree.build(table, new double[] {1, 1, 0}, 50);
    SplitTree widerTree = SplitTree.build(wider, new double[] {1, 1, 1, 1, 0}, 50);
    assertThat(filesOf(widerTree, wider)).isEqualTo(filesOf(tree, table));
  }

  @Test
  void asManyColumnsAsAZValueHoldsAndATieBreaker() {
    long[][] table = Tables.uniform(500, 128, 1);
    SplitTree tree = SplitTree.build(table, Tables.equalWeights(128), 20);
    assertThat(tree.files()).isEqualTo(20);
    for (int c = 0; c < 128; c++) {
      Arrays.fill(table[c], 1);
    }
    assertThat(SplitTree.build(table, Tables.equalWeights(128), 20).files()).isEqualTo(20);
  }

  @Test
  void weightMovesFromEqualSharesToAPlainSort() {
    long[][] table = Tables.uniform(ROWS, 2, 1);
    double[] ratios = {1, 2, 4, 16, 64, 1e6};
    double[] first = new double[ratios.length];
    double[] second = new double[ratios.length];
    for (int i = 0; i < ratios.length; i++) {
      SplitTree tree = SplitTree.build(table, new double[] {ratios[i], 1, 0}, 36);
      Forecast forecast = Forecast.of(tree, table);
      first[i] = forecast.touched(0);
      second[i] = forecast.touched(1);
    }
    assertThat(Arrays.stream(first).map(share -> -share).toArray()).isSorted();
    assertThat(second).isSorted();
    assertThat(first[0]).isCloseTo(second[0], within(0.01));
    assertThat(first[1]).isLessThan(0.8 * first[0]);
    assertThat(first[ratios.length - 1]).isCloseTo(1.0 / 36, within(0.001));
    assertThat(second[ratios.length - 1]).isGreaterThan(0.99);
  }

  /** Of 20 files and more: at the price of one that is hardly filled. */
  @ParameterizedTest
  @ValueSource(ints = {20, 60})
  void theFewValuesOfAColumnThatIsMostlyNullLieInOneFile(int files) {
    Random random = new Random(1);
    long[][] table = new long[2][60_000];
    for (int row = 0; row < table[0].length; row++) {
      table[0][row] = random.nextInt(100) == 0 ? Words.ofInt(random.nextInt(1_000)) : 0;
      table[1][row] = Words.ofInt(random.nextInt(1_000_000));
    }
    SplitTree tree = SplitTree.build(table, new double[] {1, 1}, files);
    int[] fileOf = filesOf(tree, table);
    long holding =
        IntStream.range(0, fileOf.length)
            .filter(row -> table[0][row] != 0)
            .map(row -> fileOf[row])
            .distinct()
            .count();

    assertThat(holding).isEqualTo(1);
  }

  @Test
  void everySampledFileHasRowsWhateverTheTies() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      int columns = 1 + random.nextInt(4);
      int rows = 1 + random.nextInt(60);
      int values = 1 + random.nextInt(8);
      long[][] table = new long[columns][rows];
      double[] weights = new double[columns];
      for (int c = 0; c < columns; c++) {
        weights[c] = random.nextInt(3);
        Arrays.setAll(table[c], row -> random.nextInt(values));
      }
      int files = 1 + random.nextInt(20);
      SplitTree tree = SplitTree.build(table, weights, files);
      long distinctRows =
          IntStream.range(0, rows)
              .mapToObj(row -> Arrays.toString(WordTable.row(table, row)))
              .distinct()
              .count();
      assertThat((long) tree.files()).as("seed %d", seed).isBetween(1L, (long) files);
      assertThat((long) tree.files()).as("seed %d", seed).isLessThanOrEqualTo(distinctRows);
      assertThat(Arrays.stream(filesOf(tree, table)).distinct().count())
          .as("seed %d", seed)
          .isEqualTo(tree.files());
    }
  }

  @Test
  void stretchingKeepsTheOrderWithinAFile() {
    long[][] table = Tables.lognormal(ROWS, 2, 1);
    SplitTree tree = SplitTree.build(table, Tables.equalWeights(2), 10);
    int[] files = filesOf(tree, table);
    for (int c = 0; c < 2; c++) {
      int column = c;
      int[] ascending =
          IntStream.range(0, ROWS)
              .boxed()
              .sorted((a, b) -> Long.compareUnsigned(table[column][a], table[column][b]))
              .mapToInt(row -> row)
              .toArray();
      long[] last = new long[10];
      for (int row : ascending) {
        long[] words = WordTable.row(table, row);
        tree.leafStretch().stretch(files[row], words);
        assertThat(Long.compareUnsigned(last[files[row]], words[c])).isLessThanOrEqualTo(0);
        last[files[row]] = words[c];
      }
    }
  }

  @Test
  void whatCannotBeLaidOutIsRefused() {
    double[] one = {1};
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SplitTree.build(new long[0][], new double[0], 1))
        .withMessageContaining("no columns");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SplitTree.build(new long[][] {{1}, {1, 2}}, new double[2], 1))
        .withMessageContaining("column 1 of the sample has 2 rows, column 0 has 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SplitTree.build(new long[1][1], one, 0))
        .withMessageContaining("'files' was '0'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SplitTree.build(new long[2][1], one, 1))
        .withMessageContaining("1 weights for 2 columns");
    for (double weight : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> SplitTree.build(new long[1][1], new double[] {weight}, 1))
          .withMessageContaining("a weight was '" + weight + "'");
    }
  }

  private static int[] filesOf(FileCuts layout, long[][] table) {
    return IntStream.range(0, table[0].length)
        .map(row -> layout.fileOf(WordTable.row(table, row)))
        .toArray();
  }
}
