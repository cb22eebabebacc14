package io.hudizorder.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.layout.tree.SplitTree;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LayoutTest {

  private static final int ROWS = 16_000;
  private static final int FILES = 16;

  /** Two columns of words within a narrow range, and a tie-breaker. */
  private static long[][] table() {
    Random random = new Random(1);
    return IntStream.range(0, 3)
        .mapToObj(c -> random.longs(ROWS, 1L << 40, (1L << 40) + (1 << 20)).toArray())
        .toArray(long[][]::new);
  }

  private static Layout learn(LayoutSpec.FileOrder order, long[][] table) {
    LayoutSpec spec =
        LayoutSpec.builder()
            .columns(List.of("a", "b"))
            .weights(new double[] {1, 1})
            .curve(Curve.ZORDER)
            .cuts(LayoutSpec.Cuts.TREE)
            .fileOrder(order)
            .pageRows(100)
            .create();
    return Layout.learn(spec, table, List.of(), ROWS, FILES);
  }

  @Test
  void aFileHasATileForEachOfItsPages() {
    long[][] table = table();
    Layout layout = learn(LayoutSpec.FileOrder.TILES, table);
    PageTiles tiles =
        PageTiles.learn(
            (SplitTree) layout.cuts(), table, new double[] {1, 1}, ROWS / 100.0 / FILES);

    for (int row = 0; row < ROWS; row++) {
      long[] words = WordTable.row(table, row);
      int file = layout.cuts().fileOf(words);
      assertThat(layout.order().place(file, words)).isEqualTo(tiles.place(file, words));
    }
  }

  /** Else all its rows would be at one place, by the few bits of a word that a place has. */
  @Test
  void aCurveFillsTheBoxOfItsFileHoweverSmallThatIs() {
    long[][] table = table();
    Layout layout = learn(LayoutSpec.FileOrder.HILBERT, table);
    int inner =
        layout.cuts().fileOf(new long[] {(1L << 40) + (1 << 19), (1L << 40) + (1 << 19), 0});

    long[] places =
        IntStream.range(0, ROWS)
            .mapToObj(row -> WordTable.row(table, row))
            .filter(words -> layout.cuts().fileOf(words) == inner)
            .mapToLong(words -> layout.order().place(inner, words) >>> RowOrder.PLACE_BITS)
            .toArray();

    assertThat(places).hasSizeGreaterThan(ROWS / FILES / 2).doesNotHaveDuplicates();
  }
}
