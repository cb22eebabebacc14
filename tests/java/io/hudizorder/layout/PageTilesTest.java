package io.hudizorder.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.layout.tree.SplitTree;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PageTilesTest {

  private static final int PAGE_ROWS = 200;

  /** Bounds a little above what is measured; a Hilbert curve is at 1.15 to 1.24. */
  @ParameterizedTest
  @CsvSource({
    "2, 6, 1.12",
    "2, 20, 1.10",
    "2, 131, 1.06",
    "2, 500, 1.04",
    "3, 20, 1.13",
    "3, 131, 1.08",
    "4, 20, 1.15",
    "4, 131, 1.12"
  })
  void pagesOfIndependentColumnsAreTouchedNearlyAtTheOptimum(int columns, int pages, double most) {
    long[][] table = uniform(pages * PAGE_ROWS, columns, 1);
    double ratio = mean(touched(table, equal(columns), pages)) * Math.pow(pages, 1.0 / columns);
    assertThat(ratio).isBetween(0.95, most);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"3, 500, 1.06", "4, 500, 1.08"})
  void manyPagesOfIndependentColumnsAreTouchedNearlyAtTheOptimum(
      int columns, int pages, double most) {
    pagesOfIndependentColumnsAreTouchedNearlyAtTheOptimum(columns, pages, most);
  }

  @Test
  void fewValuesAreCutFirstAndLeaveThePagesToTheOtherColumn() {
    int pages = 60;
    for (int few = 0; few < 2; few++) {
      long[][] table = uniform(pages * PAGE_ROWS, 2, 2);
      int column = few;
      table[few] = Arrays.stream(table[few]).map(word -> 1 + Math.floorMod(word, 3)).toArray();
      double[] touched = touched(table, equal(2), pages);
      assertThat(touched[column]).as("3 values").isBetween(1 / 3.0, 1 / 3.0 + 2.0 / pages);
      assertThat(touched[1 - column]).as("many values").isLessThan(5.0 / pages);
    }
  }

  @Test
  void aConstantColumnCostsNothing() {
    int pages = 60;
    long[][] table = uniform(pages * PAGE_ROWS, 2, 3);
    Arrays.fill(table[0], 7);
    assertThat(touched(table, equal(2), pages)[1]).isLessThan(2.5 / pages);
  }

  @Test
  void aConstantColumnTakesNoTilesFromTheOthers() {
    int pages = 60;
    long[][] two = uniform(pages * PAGE_ROWS, 2, 3);
    long[] constant = new long[two[0].length];
    Arrays.fill(constant, 7);
    long[][] three = {constant, two[0], two[1], two[2]};
    SplitTree tree = SplitTree.build(two, equal(3), 1);
    SplitTree wider = SplitTree.build(three, equal(4), 1);
    PageTiles tiles = PageTiles.learn(tree, two, equal(2), pages);
    PageTiles widerTiles = PageTiles.learn(wider, three, equal(3), pages);
    for (int row = 0; row < 100; row++) {
      assertThat(widerTiles.place(0, WordTable.row(three, row)))
          .isEqualTo(tiles.place(0, WordTable.row(two, row)));
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {10, 1e-200, 1e200})
  void weightsOfTheSameProportionGiveTheSameTiles(double unit) {
    int pages = 60;
    long[][] table = uniform(pages * PAGE_ROWS, 3, 4);
    SplitTree tree = SplitTree.build(table, equal(4), 1);
    PageTiles tiles = PageTiles.learn(tree, table, new double[] {1, 2, 4}, pages);
    PageTiles same = PageTiles.learn(tree, table, new double[] {unit, 2 * unit, 4 * unit}, pages);
    for (int row = 0; row < 100; row++) {
      long[] words = WordTable.row(table, row);
      assertThat(same.place(0, words)).isEqualTo(tiles.place(0, words));
    }
  }

  @Test
  void halfTheRowsMayBeNull() {
    int pages = 100;
    long[][] table = uniform(pages * PAGE_ROWS, 2, 4);
    for (int row = 0; row < table[0].length; row += 2) {
      table[0][row] = 0;
    }
    assertThat(mean(touched(table, equal(2), pages))).isLessThan(0.30);
  }

  @Test
  void aHeavierColumnTouchesFewerPages() {
    int pages = 120;
    long[][] table = uniform(pages * PAGE_ROWS, 2, 5);
    double last = 1;
    for (double weight : new double[] {0.25, 1, 4, 1000}) {
      double touched = touched(table, new double[] {weight, 1}, pages)[0];
      assertThat(touched).as("weight %s", weight).isLessThan(last);
      last = touched;
    }
    assertThat(last).as("a plain sort").isLessThan(2.5 / pages);
  }

  @Test
  void everyFileHasTilesOfItsOwn() {
    int pages = 20;
    int files = 8;
    long[][] table = uniform(files * pages * PAGE_ROWS, 2, 6);
    SplitTree tree = SplitTree.build(table, equal(3), files);
    PageTiles tiles = PageTiles.learn(tree, table, equal(2), pages);
    for (int file = 0; file < files; file++) {
      int wanted = file;
      int[] rows =
          IntStream.range(0, table[0].length)
              .filter(row -> tree.fileOf(WordTable.row(table, row)) == wanted)
              .toArray();
      long[][] own =
          Arrays.stream(table)
              .map(column -> Arrays.stream(rows).mapToLong(row -> column[row]).toArray())
              .toArray(long[][]::new);
      double ratio = mean(touched(own, tiles, file)) * Math.sqrt((double) rows.length / PAGE_ROWS);
      assertThat(ratio).as("file %d", file).isLessThan(1.15);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 128})
  void keysOrderRowsAsPlacesDo(int columns) {
    int rows = 2_000;
    long[][] table = uniform(rows, columns, 7);
    for (int row = 0; row < rows; row += 20) {
      table[columns - 1][row] = 0; // null, the least of all words
    }
    SplitTree tree = SplitTree.build(table, equal(columns + 1), 4);
    PageTiles tiles = PageTiles.learn(tree, table, equal(columns), 30);
    Random random = new Random(7);
    int ties = 0;
    for (int pair = 0; pair < 5_000; pair++) {
      long[] a = WordTable.row(table, random.nextInt(rows));
      long[] b = WordTable.row(table, random.nextInt(rows));
      int file = tree.fileOf(a);
      if (file == tree.fileOf(b) && !Arrays.equals(a, b)) {
        int byKey = Arrays.compareUnsigned(tiles.key(file, a), tiles.key(file, b));
        int byPlace =
            Long.compareUnsigned(tiles.place(file, a) >>> 32, tiles.place(file, b) >>> 32);
        assertThat(byPlace).isIn(0, Integer.signum(byKey));
        ties += byPlace == 0 ? 1 : 0;
      }
    }
    assertThat(ties).isLessThan(10);
  }

  @Test
  void theOrderOfTheSampleDoesNotMatterAndATripThroughTheNetworkDoesNotEither() throws Exception {
    long[][] table = uniform(20_000, 2, 9);
    long[][] reversed =
        Arrays.stream(table)
            .map(c -> IntStream.range(0, c.length).mapToLong(r -> c[c.length - 1 - r]).toArray())
            .toArray(long[][]::new);
    SplitTree tree = SplitTree.build(table, equal(3), 6);
    PageTiles tiles = PageTiles.learn(tree, table, equal(2), 100_000);
    PageTiles again = PageTiles.learn(tree, reversed, equal(2), 100_000);
    PageTiles sent = sent(tiles);
    for (int row = 0; row < 20_000; row++) {
      long[] words = WordTable.row(table, row);
      int file = tree.fileOf(words);
      assertThat(again.place(file, words)).isEqualTo(tiles.place(file, words));
      assertThat(sent.place(file, words)).isEqualTo(tiles.place(file, words));
    }
  }

  private static PageTiles sent(PageTiles tiles) throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(tiles);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (PageTiles) in.readObject();
    }
  }

  @Test
  void filesWithoutSampledRowsAndFewPagesAreOrderedToo() {
    long[][] empty = new long[3][0];
    PageTiles tiles =
        PageTiles.learn(SplitTree.build(empty, equal(3), 1), empty, equal(2), 1_000_000);
    assertThat(tiles.place(0, new long[] {1, 2, 3})).isZero();
    long[][] table = uniform(100, 2, 8);
    PageTiles single = PageTiles.learn(SplitTree.build(table, equal(3), 1), table, equal(2), 0.3);
    assertThat(touched(table, single, 0)).containsExactly(1, 1);
  }

  /** The mean share of pages that equality on a row's value touches, by column. */
  private static double[] touched(long[][] table, double[] weights, double pages) {
    SplitTree tree = SplitTree.build(table, equal(table.length), 1);
    return touched(table, PageTiles.learn(tree, table, weights, pages), 0);
  }

  private static double[] touched(long[][] table, RowOrder order, int file) {
    int rows = table[0].length;
    int columns = table.length - 1;
    int[] sorted =
        IntStream.range(0, rows)
            .boxed()
            .sorted(
                (a, b) ->
                    Long.compareUnsigned(
                        order.place(file, WordTable.row(table, a)),
                        order.place(file, WordTable.row(table, b))))
            .mapToInt(row -> row)
            .toArray();
    int pages = (rows + PAGE_ROWS - 1) / PAGE_ROWS;
    double[] touched = new double[columns];
    for (int c = 0; c < columns; c++) {
      long[] column = table[c];
      long met = 0;
      for (int page = 0; page < pages; page++) {
        long[] words =
            Arrays.stream(sorted, page * PAGE_ROWS, Math.min(rows, (page + 1) * PAGE_ROWS))
                .mapToLong(row -> column[row] ^ Long.MIN_VALUE)
                .sorted()
                .toArray();
        long low = words[0];
        long high = words[words.length - 1];
        met +=
            Arrays.stream(column)
                .filter(word -> (word ^ Long.MIN_VALUE) >= low && (word ^ Long.MIN_VALUE) <= high)
                .count();
      }
      touched[c] = (double) met / rows / pages;
    }
    return touched;
  }

  /** Independent columns of uniform words, and a tie-breaker. */
  private static long[][] uniform(int rows, int columns, long seed) {
    Random random = new Random(seed);
    return IntStream.rangeClosed(0, columns)
        .mapToObj(c -> random.longs(rows).toArray())
        .toArray(long[][]::new);
  }

  private static double[] equal(int columns) {
    return DoubleStream.generate(() -> 1).limit(columns).toArray();
  }

  private static double mean(double[] shares) {
    return Arrays.stream(shares).average().orElseThrow();
  }
}
