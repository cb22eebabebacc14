package io.hudizorder.layout;

import io.hudizorder.layout.rank.SignedWords;
import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.layout.tree.SplitTree;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Rows of a file in tiles of about a page each, so that pages skip nearly as well as files do.
 *
 * <p>Sort-tile-recursive packing (S. Leutenegger, M. Lopez, J. Edgington, "STR: a simple and
 * efficient algorithm for R-tree packing", ICDE 1997): a file is cut into equally full slabs along
 * one column, each slab along the next, and the last slabs are sorted by the last column, so that a
 * page is a tile. Neighbouring slabs run in opposite directions: where a page ends does not matter,
 * since a page that reaches into the next slab goes on beside where it was. Equality on one of k
 * columns touches 1.01 to 1.1 times the optimum of P^(-1/k) of P pages, a Hilbert curve 1.2 times.
 *
 * <p>Columns of few values are cut first, at these values, and leave the rest of the pages to the
 * others.
 */
public final class PageTiles implements RowOrder {
  private static final long serialVersionUID = 1L;

  /** There are no more slabs than pages: half of a place's bits are left to the last column. */
  private static final double MAX_PAGES = 1 << 16;

  private final SplitTree tree;
  private final int columns;

  /** The columns in the order in which they cut each file; the last of them sorts. */
  private final byte[] order;

  /** Where the cuts of each file and each cutting column begin, and the end. */
  private final int[] firstCut;

  /** The least word of every slab but the first, sign bit flipped. */
  private final long[] cuts;

  private PageTiles(SplitTree tree, int columns, byte[] order, int[] firstCut, long[] cuts) {
    this.tree = tree;
    this.columns = columns;
    this.order = order;
    this.firstCut = firstCut;
    this.cuts = cuts;
  }

  /**
   * Learns the slabs of every file.
   *
   * @param sample words by column, then by row, the tie-breaker last: those the tree was learnt
   *     from
   * @param weights what skipping on each sort column is worth; slabs are in proportion to them
   * @param pages about how many pages a file has; more than 65,536 are taken as so many
   */
  public static PageTiles learn(SplitTree tree, long[][] sample, double[] weights, double pages) {
    int columns = weights.length;
    int[][] rows = rowsByFile(tree, sample);
    long[][] words = sortedWords(sample, columns, rows);
    byte[] order = new byte[rows.length * columns];
    int[] firstCut = new int[rows.length * (columns - 1) + 1];
    LongStream.Builder cuts = LongStream.builder();
    int from = 0;
    for (int file = 0; file < rows.length; file++) {
      int to = from + rows[file].length;
      int[] fewestFirst = byDistinctWords(words, from, to);
      double left = Math.min(pages, MAX_PAGES);
      for (int i = 0; i < columns; i++) {
        int c = fewestFirst[i];
        order[file * columns + i] = (byte) c;
        if (i < columns - 1) {
          int cut = file * (columns - 1) + i;
          long[] made = cut(words[c], from, to, slabs(left, weights, fewestFirst, i));
          Arrays.stream(made).forEach(cuts);
          firstCut[cut + 1] = firstCut[cut] + made.length;
          left /= made.length + 1;
        }
      }
      from = to;
    }
    return new PageTiles(tree, columns, order, firstCut, cuts.build().toArray());
  }

  private static int[][] rowsByFile(SplitTree tree, long[][] sample) {
    int[] files =
        IntStream.range(0, WordTable.rows(sample))
            .map(row -> tree.fileOf(WordTable.row(sample, row)))
            .toArray();
    return WordTable.rowsByGroup(files, tree.files());
  }

  /** The words of each column, file after file, ascending in every file, sign bits flipped. */
  private static long[][] sortedWords(long[][] sample, int columns, int[][] rows) {
    int[] order = Arrays.stream(rows).flatMapToInt(Arrays::stream).toArray();
    long[][] words = new long[columns][];
    for (int c = 0; c < columns; c++) {
      long[] column = sample[c];
      words[c] = Arrays.stream(order).mapToLong(row -> SignedWords.flip(column[row])).toArray();
      int from = 0;
      for (int[] file : rows) {
        Arrays.sort(words[c], from, from + file.length);
        from += file.length;
      }
    }
    return words;
  }

  /** The columns, that of the fewest distinct words first. */
  private static int[] byDistinctWords(long[][] words, int from, int to) {
    long[] distinct =
        Arrays.stream(words).mapToLong(column -> distinct(column, from, to)).toArray();
    return IntStream.range(0, words.length)
        .boxed()
        .sorted(Comparator.comparingLong(c -> distinct[c]))
        .mapToInt(c -> c)
        .toArray();
  }

  private static long distinct(long[] ascending, int from, int to) {
    return IntStream.range(from, to)
        .filter(i -> i == from || ascending[i] != ascending[i - 1])
        .count();
  }

  /**
   * How many slabs a column is to be cut into: with as many pages left, the others cut alike, the
   * product of slabs is the number of pages, and slabs are in proportion to weights.
   */
  private static int slabs(double pagesLeft, double[] weights, int[] order, int at) {
    double product = pagesLeft;
    for (int i = at; i < order.length; i++) {
      product *= weights[order[at]] / weights[order[i]];
    }
    double slabs = Math.pow(product, 1.0 / (order.length - at));
    return (int) Math.max(1, Math.min(Math.round(slabs), pagesLeft));
  }

  /** The least word of every slab but the first, of slabs that are equally full. */
  private static long[] cut(long[] ascending, int from, int to, int slabs) {
    return IntStream.range(1, from == to ? 1 : slabs)
        .mapToLong(slab -> ascending[from + (int) ((long) slab * (to - from) / slabs)])
        .filter(word -> word > ascending[from])
        .distinct()
        .toArray();
  }

  @Override
  public long place(int file, long[] words) {
    long slab = 0;
    long slabs = 1;
    for (int i = 0; i < columns - 1; i++) {
      slab = within(slab, file, i, words);
      slabs *= slabs(file, i);
    }
    int last = order[file * columns + columns - 1] & 0xFF;
    long width = (1L << PLACE_BITS) / slabs;
    long offset = (tree.leafStretch().stretch(file, last, words[last]) >>> PLACE_BITS) * width;
    offset >>>= PLACE_BITS;
    return slab * width + (runsBackwards(slab) ? width - 1 - offset : offset) << PLACE_BITS;
  }

  @Override
  public byte[] key(int file, long[] words) {
    int slab = 0;
    for (int i = 0; i < columns - 1; i++) {
      slab = within(slab, file, i, words);
    }
    long last = words[order[file * columns + columns - 1] & 0xFF];
    return ByteBuffer.allocate(Integer.BYTES + Long.BYTES)
        .putInt(slab)
        .putLong(runsBackwards(slab) ? ~last : last)
        .array();
  }

  /** The number of a row's slab along the file's i-th column, among all within a slab before. */
  private int within(long outer, int file, int i, long[] words) {
    int cut = file * (columns - 1) + i;
    long word = SignedWords.flip(words[order[file * columns + i] & 0xFF]);
    int slab = SignedWords.countUpTo(cuts, firstCut[cut], firstCut[cut + 1], word);
    int slabs = slabs(file, i);
    return (int) outer * slabs + (runsBackwards(outer) ? slabs - 1 - slab : slab);
  }

  private int slabs(int file, int i) {
    int cut = file * (columns - 1) + i;
    return firstCut[cut + 1] - firstCut[cut] + 1;
  }

  /** Neighbouring slabs run in opposite directions. */
  private static boolean runsBackwards(long slab) {
    return (slab & 1) == 1;
  }
}
