package io.hudizorder.spark.shuffle;

import io.hudizorder.layout.rank.BytesRanks;
import io.hudizorder.layout.rank.LongRanks;
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

  /** By column; null of a wide one, and where words are direct. */
  private final LongRanks[] ofWords;

  /** By column; null of one that is not wide, and where words are direct. */
  private final BytesRanks[] ofBytes;

  private ColumnRanks(int columns) {
    this.ofWords = new LongRanks[columns];
    this.ofBytes = new BytesRanks[columns];
  }

  public static ColumnRanks learn(
      SortColumnSample sample, List<SortColumn> columns, boolean ranked) {
    ColumnRanks ranks = new ColumnRanks(columns.size());
    for (int c = 0; ranked && c < columns.size(); c++) {
      if (columns.get(c).wide()) {
        ranks.ofBytes[c] = BytesRanks.of(sample.bytes(c), MAX_BOUNDARIES);
      } else {
        ranks.ofWords[c] = LongRanks.of(sample.words(c), MAX_BOUNDARIES);
      }
    }
    return ranks;
  }

  /** The words of sampled rows as a layout takes them: column by column, the tie-breaker last. */
  public long[][] words(SortColumnSample sample) {
    int columns = ofWords.length;
    long[][] words = new long[columns + 1][];
    for (int c = 0; c < columns; c++) {
      if (ofBytes[c] != null) {
        words[c] = Arrays.stream(sample.bytes(c)).mapToLong(ofBytes[c]::word).toArray();
      } else if (ofWords[c] != null) {
        words[c] = Arrays.stream(sample.words(c)).map(ofWords[c]::word).toArray();
      } else {
        words[c] = sample.words(c);
      }
    }
    words[columns] = sample.ties();
    return words;
  }

  /** The ranked word of a value that its direct word tells apart. */
  public long word(int column, long directWord) {
    return ofWords[column].word(directWord);
  }

  /** The ranked word of a value given as ordered bytes. */
  public long word(int column, byte[] value) {
    return ofBytes[column].word(value);
  }
}
