package io.hudizorder.spark.shuffle;

import io.hudizorder.layout.BytesRanks;
import io.hudizorder.layout.LongRanks;
import io.hudizorder.spark.SortColumn;
import io.hudizorder.spark.sample.SortColumnSample;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;

/** The ranks of all sort columns, learnt from a sample; of a direct layout, none. */
public final class ColumnRanks implements Serializable {

  private static final long serialVersionUID = 1L;

  /**
   * Boundaries a column's ranks are told apart by: few enough that a processor's cache holds them
   * while every row is looked up. Values between two of them are told apart by their own bits.
   */
  private static final int MAX_BOUNDARIES = 1 << 13;

  /** A {@link LongRanks} or a {@link BytesRanks} a column; null where words are direct. */
  private final Object[] ranks;

  private ColumnRanks(Object[] ranks) {
    this.ranks = ranks;
  }

  public static ColumnRanks learn(
      SortColumnSample sample, List<SortColumn> columns, boolean ranked) {
    Object[] ranks = new Object[columns.size()];
    for (int c = 0; ranked && c < ranks.length; c++) {
      ranks[c] =
          columns.get(c).wide()
              ? BytesRanks.of(sample.bytes(c), MAX_BOUNDARIES)
              : LongRanks.of(sample.words(c), MAX_BOUNDARIES);
    }
    return new ColumnRanks(ranks);
  }

  /** The words of sampled rows as a layout takes them: column by column, the tie-breaker last. */
  public long[][] words(SortColumnSample sample) {
    long[][] words = new long[ranks.length + 1][];
    for (int c = 0; c < ranks.length; c++) {
      if (ranks[c] == null) {
        words[c] = sample.words(c);
      } else if (ranks[c] instanceof BytesRanks) {
        BytesRanks learnt = (BytesRanks) ranks[c];
        words[c] = Arrays.stream(sample.bytes(c)).mapToLong(learnt::word).toArray();
      } else {
        LongRanks learnt = (LongRanks) ranks[c];
        words[c] = Arrays.stream(sample.words(c)).map(learnt::word).toArray();
      }
    }
    words[ranks.length] = sample.ties();
    return words;
  }

  long word(int column, long directWord) {
    return ((LongRanks) ranks[column]).word(directWord);
  }

  long word(int column, byte[] value) {
    return ((BytesRanks) ranks[column]).word(value);
  }
}
