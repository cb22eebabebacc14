package io.hudizorder.layout;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;

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

  /** Slabs take bits of the place that the last column goes without. */
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
    byte[] order = new byte[rows.length * columns];
    int[] firstCut = new int[rows.length * (columns - 1) + 1];
    LongList cuts = new LongList();
    for (int file = 0; file < rows.length; file++) {
      long[][] words = new long[columns][];
      int[] distinct = new int[columns];
      for (int c = 0; c < columns; c++) {
        long[] column = sample[c];
        words[c] = Arrays.stream(rows[file]).mapToLong(row -> flip(column[row])).sorted().toArray();
        distinct[c] = (int) Arrays.stream(words[c]).distinct().count();
      }
      int[] fewestFirst =
          IntStream.range(0, columns)
              .boxed()
              .sorted((a, b) -> Integer.compare(distinct[a], distinct[b]))
              .mapToInt(c -> c)
              .toArray();
      double left = Math.min(pages, MAX_PAGES);
      for (int i = 0; i < columns; i++) {
        order[file * columns + i] = (byte) fewestFirst[i];
        if (i < columns - 1) {
          int slabs = slabs(left, weights, fewestFirst, i);
          left /= 1 + cut(words[fewestFirst[i]], slabs, cuts);
          firstCut[file * (columns - 1) + i + 1] = cuts.size();
        }
      }
    }
    return new PageTiles(tree, columns, order, firstCut, cuts.toArray());
  }

  private static int[][] rowsByFile(SplitTree tree, long[][] sample) {
    int[] files =
        IntStream.range(0, Samples.rows(sample))
            .map(row -> tree.fileOf(Samples.row(sample, row)))
            .toArray();
    int[] counts = new int[tree.files()];
    Arrays.stream(files).forEach(file -> counts[file]++);
    int[][] rows = Arrays.stream(counts).mapToObj(int[]::new).toArray(int[][]::new);
    for (int row = files.length - 1; row >= 0; row--) {
      rows[files[row]][--counts[files[row]]] = row;
    }
    return rows;
  }

  /**
   * How many slabs a column is to be cut into: with as many pages left, the others cut alike, the
   * product of slabs is the number of pages, and slabs are in proportion to weights.
   */
  private static int slabs(double pagesLeft, double[] weights, int[] order, int at) {
    double share = pagesLeft;
    for (int i = at; i < order.length; i++) {
      share /= weights[order[i]];
    }
    double slabs = weights[order[at]] * Math.pow(share, 1.0 / (order.length - at));
    return (int) Math.max(1, Math.min(Math.round(slabs), pagesLeft));
  }

  /** Cuts ascending words into equally full slabs; returns how many cuts there were to make. */
  private static int cut(long[] ascending, int slabs, LongList cuts) {
    int made = 0;
    long last = ascending.length == 0 ? 0 : ascending[0];
    for (int slab = 1; slab < slabs && ascending.length > 0; slab++) {
      long word = ascending[(int) ((long) slab * ascending.length / slabs)];
      if (word > last) {
        cuts.add(word);
        last = word;
        made++;
      }
    }
    return made;
  }

  @Override
  public long place(int file, long[] words) {
    long tile = 0;
    long tiles = 1;
    for (int i = 0; i < columns - 1; i++) {
      int slabs = slabs(file, i);
      tile = tile * slabs + slab(file, i, words, tile);
      tiles *= slabs;
    }
    int last = order[file * columns + columns - 1] & 0xFF;
    long within = tree.boxes().stretch(file, last, words[last]) >>> PLACE_BITS;
    long width = (1L << PLACE_BITS) / tiles;
    long offset = within * width >>> PLACE_BITS;
    return tile * width + (backwards(tile) ? width - 1 - offset : offset) << PLACE_BITS;
  }

  @Override
  public byte[] key(int file, long[] words) {
    int tile = 0;
    for (int i = 0; i < columns - 1; i++) {
      tile = tile * slabs(file, i) + slab(file, i, words, tile);
    }
    long last = words[order[file * columns + columns - 1] & 0xFF];
    return ByteBuffer.allocate(Integer.BYTES + Long.BYTES)
        .putInt(tile)
        .putLong(backwards(tile) ? ~last : last)
        .array();
  }

  private int slabs(int file, int i) {
    int cut = file * (columns - 1) + i;
    return firstCut[cut + 1] - firstCut[cut] + 1;
  }

  /** The slab of a row along the file's i-th column, counted in the direction of the tile. */
  private int slab(int file, int i, long[] words, long tile) {
    int cut = file * (columns - 1) + i;
    int from = firstCut[cut];
    int to = firstCut[cut + 1];
    int slab = Sorted.countUpTo(cuts, from, to, flip(words[order[file * columns + i] & 0xFF]));
    return backwards(tile) ? to - from - slab : slab;
  }

  private static boolean backwards(long tile) {
    return (tile & 1) == 1;
  }

  private static long flip(long word) {
    return word ^ Long.MIN_VALUE;
  }

  private static final class LongList {
    private long[] elements = new long[16];
    private int size;

    void add(long element) {
      if (size == elements.length) {
        elements = Arrays.copyOf(elements, 2 * size);
      }
      elements[size++] = element;
    }

    int size() {
      return size;
    }

    long[] toArray() {
      return Arrays.copyOf(elements, size);
    }
  }
}
