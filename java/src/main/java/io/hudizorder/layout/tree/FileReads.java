package io.hudizorder.layout.tree;

import io.hudizorder.key.WordSet;
import io.hudizorder.layout.query.Query;
import io.hudizorder.layout.rank.SignedWords;
import io.hudizorder.layout.rank.WordTable;
import io.hudizorder.layout.split.NumberedColumn;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

/**
 * What queries read under a layout, as far as a sample tells: its rows are sent to their files, and
 * a file is read where its statistics cannot rule a query out.
 */
final class FileReads {
  private static final long NULL = 0;

  /** The least word of a value, its sign bit flipped. */
  private static final long LEAST = Long.MIN_VALUE + 1;

  private final long[][] sample;
  private final int[] rows;

  /** Least and greatest word of each column and file, sign bits flipped. */
  private final long[][] min;

  private final long[][] max;
  private final boolean[][] nulls;

  /** The same as far as the rows of the table may reach, where those are a sample of it. */
  private final long[][] low;

  private final long[][] high;
  private final boolean[][] mayBeNull;

  /** What is read of given rows, which are all that there are. */
  static FileReads ofAllRows(FileCuts cuts, long[][] rows) {
    return new FileReads(cuts, rows);
  }

  /**
   * What is read of a table of which there is a sample.
   *
   * @param columns those of the sample, whose rows may be in any order
   */
  FileReads(FileCuts cuts, long[][] sample, NumberedColumn[] columns) {
    this(cuts, sample);
    for (int c = 0; c < sample.length; c++) {
      widen(c, columns[c]);
    }
    cuts.boxes().ifPresent(this::narrow);
  }

  private FileReads(FileCuts cuts, long[][] sample) {
    int files = cuts.files();
    this.sample = sample;
    rows = new int[files];
    min = new long[sample.length][files];
    max = new long[sample.length][files];
    nulls = new boolean[sample.length][files];
    for (int c = 0; c < sample.length; c++) {
      Arrays.fill(min[c], Long.MAX_VALUE);
      Arrays.fill(max[c], Long.MIN_VALUE);
    }
    int[] file = new int[sample[0].length];
    Arrays.parallelSetAll(file, row -> cuts.fileOf(WordTable.row(sample, row)));
    Arrays.stream(file).forEach(f -> rows[f]++);
    for (int c = 0; c < sample.length; c++) {
      for (int row = 0; row < file.length; row++) {
        add(c, file[row], sample[c][row]);
      }
    }
    low = copy(min);
    high = copy(max);
    mayBeNull = Arrays.stream(nulls).map(boolean[]::clone).toArray(boolean[][]::new);
  }

  private static long[][] copy(long[][] words) {
    return Arrays.stream(words).map(long[]::clone).toArray(long[][]::new);
  }

  private void widen(int c, NumberedColumn column) {
    for (int file = 0; file < rows.length; file++) {
      if (min[c][file] <= max[c][file]) {
        if (column.mayReachBelow(column.below(min[c][file]), rows[file])) {
          low[c][file] = LEAST;
        }
        if (column.mayReachAbove(column.below(max[c][file]), rows[file])) {
          high[c][file] = Long.MAX_VALUE;
        }
      }
      mayBeNull[c][file] |= rows[file] > 0 && column.mayHoldNull(rows[file]);
    }
  }

  /** Takes back what no row of a file can have, however few of its rows are sampled. */
  private void narrow(LeafBoxes boxes) {
    for (int c = 0; c < low.length; c++) {
      for (int file = 0; file < rows.length; file++) {
        long least = boxes.low(file, c);
        low[c][file] = Math.max(low[c][file], SignedWords.flip(least));
        high[c][file] = Math.min(high[c][file], SignedWords.flip(boxes.high(file, c)));
        mayBeNull[c][file] &= least == NULL;
      }
    }
  }

  private void add(int c, int file, long word) {
    if (word == NULL) {
      nulls[c][file] = true;
    } else {
      long flipped = SignedWords.flip(word);
      min[c][file] = Math.min(min[c][file], flipped);
      max[c][file] = Math.max(max[c][file], flipped);
    }
  }

  /** The share of rows in files that a query reads, in the mean of all queries by their weight. */
  double share(List<Query> queries) {
    return share(queries, rows(queries));
  }

  private double share(List<Query> queries, long[] rowsOf) {
    double read = 0;
    double weight = 0;
    for (int q = 0; q < rowsOf.length; q++) {
      double own = queries.get(q).weight();
      read += own * rowsOf[q] / sample[0].length;
      weight += own;
    }
    return weight == 0 ? 0 : read / weight;
  }

  /**
   * How far what queries read here and under another layout may be apart by chance: the standard
   * error of the mean of the differences, by the weight of the queries.
   *
   * @param queries at least one
   */
  double standardError(List<Query> queries, FileReads others) {
    long[] here = rows(queries);
    long[] there = others.rows(queries);
    double mean = share(queries, here) - others.share(queries, there);
    double squares = 0;
    double weight = 0;
    for (int q = 0; q < here.length; q++) {
      double own = queries.get(q).weight();
      double off = own * ((double) (here[q] - there[q]) / sample[0].length - mean);
      squares += off * off;
      weight += own;
    }
    return Math.sqrt(squares) / weight;
  }

  private long[] rows(List<Query> queries) {
    return queries.parallelStream().mapToLong(this::rows).toArray();
  }

  private long rows(Query query) {
    BitSet met = new BitSet(rows.length);
    query.boxes().forEach(box -> met.or(meeting(box)));
    return met.stream().mapToLong(file -> rows[file]).sum();
  }

  /** The files that may hold a row of a box. */
  private BitSet meeting(Map<Integer, WordSet> box) {
    BitSet met = new BitSet(rows.length);
    met.set(0, rows.length);
    box.forEach((c, asked) -> keepMeeting(met, c, asked.ranges()));
    return met;
  }

  private void keepMeeting(BitSet met, int c, List<long[]> ranges) {
    long[] lows = ranges.stream().mapToLong(range -> SignedWords.flip(range[0])).toArray();
    long[] highs = ranges.stream().mapToLong(range -> SignedWords.flip(range[1])).toArray();
    boolean ofNulls = lows.length > 0 && lows[0] == SignedWords.flip(NULL);
    for (int file = met.nextSetBit(0); file >= 0; file = met.nextSetBit(file + 1)) {
      // Ranges are ascending and disjoint: of those that end no sooner than the file, the first.
      int found = Arrays.binarySearch(highs, low[c][file]);
      int first = found < 0 ? ~found : found;
      boolean meets = first < lows.length && lows[first] <= high[c][file];
      if (!meets && !(ofNulls && mayBeNull[c][file])) {
        met.clear(file);
      }
    }
  }

  /**
   * The share of rows that an equality reads, in the mean over the values of all rows.
   *
   * @param column of the sample, whose rows may be in any order
   */
  double equality(int c, NumberedColumn column) {
    double read = 0;
    for (int file = 0; file < rows.length; file++) {
      if (min[c][file] <= max[c][file]) {
        read += rows[file] * column.share(column.below(min[c][file]), column.below(max[c][file]));
      }
    }
    return read / sample[c].length;
  }
}
