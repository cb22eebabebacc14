package io.hudizorder.spark.zcolumn;

import io.hudizorder.key.WordSet;
import io.hudizorder.key.ZValue;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** For each column of a z-value the least and the greatest word of rows, nulls apart. */
public final class WordBounds implements Serializable {

  private static final long serialVersionUID = 1L;

  private static final String NO_VALUES = "-";
  private static final String WITH_NULLS = "+null";

  private final long[] low;
  private final long[] high;
  private final boolean[] nulls;

  /** The bounds of no rows. */
  public WordBounds(int columns) {
    low = new long[columns];
    Arrays.fill(low, -1L);
    high = new long[columns];
    nulls = new boolean[columns];
  }

  /** The bounds of whatever rows. */
  static WordBounds ofAnyRows(int columns) {
    WordBounds any = new WordBounds(columns);
    Arrays.fill(any.low, 1);
    Arrays.fill(any.high, -1L);
    Arrays.fill(any.nulls, true);
    return any;
  }

  private WordBounds(long[] low, long[] high, boolean[] nulls) {
    this.low = low;
    this.high = high;
    this.nulls = nulls;
  }

  public int columns() {
    return low.length;
  }

  /** Widens the bounds to those of one more row. */
  void add(byte[] zValue) {
    long[] words = ZValue.deinterleave(zValue);
    for (int column = 0; column < low.length; column++) {
      if (words[column] == 0) {
        nulls[column] = true;
      } else {
        low[column] = WordSet.min(low[column], words[column]);
        high[column] = WordSet.max(high[column], words[column]);
      }
    }
  }

  /** The bounds of both. */
  public WordBounds union(WordBounds other) {
    WordBounds both = copy();
    for (int column = 0; column < low.length; column++) {
      both.low[column] = WordSet.min(low[column], other.low[column]);
      both.high[column] = WordSet.max(high[column], other.high[column]);
      both.nulls[column] |= other.nulls[column];
    }
    return both;
  }

  WordBounds copy() {
    return new WordBounds(low.clone(), high.clone(), nulls.clone());
  }

  /** The words that rows have, or a few more. */
  WordRegion region() {
    WordSet[] box = new WordSet[low.length];
    Arrays.setAll(
        box,
        column ->
            WordSet.range(low[column], high[column])
                .or(nulls[column] ? WordSet.NULL : WordSet.NONE));
    return WordRegion.box(box);
  }

  /** The words of rows that have every value that any row has, and null where none has one. */
  WordRegion ofValues() {
    WordSet[] box = new WordSet[low.length];
    Arrays.setAll(
        box,
        column -> {
          WordSet values = WordSet.range(low[column], high[column]);
          return values.isEmpty() && nulls[column] ? WordSet.NULL : values;
        });
    return WordRegion.box(box);
  }

  /** One text for each column, such as {@code 8000000100000000-8000000900000000+null}. */
  public List<String> texts() {
    return IntStream.range(0, low.length)
        .mapToObj(
            column ->
                (Long.compareUnsigned(low[column], high[column]) > 0
                        ? NO_VALUES
                        : String.format(Locale.ROOT, "%016x-%016x", low[column], high[column]))
                    + (nulls[column] ? WITH_NULLS : ""))
        .collect(Collectors.toList());
  }

  /** Reads what {@link #texts} gives. */
  public static WordBounds parse(List<String> texts) {
    WordBounds bounds = new WordBounds(texts.size());
    for (int column = 0; column < texts.size(); column++) {
      String text = texts.get(column);
      bounds.nulls[column] = text.endsWith(WITH_NULLS);
      String range = text.replace(WITH_NULLS, "");
      if (!range.equals(NO_VALUES)) {
        String[] ends = range.split("-", -1);
        bounds.low[column] = Long.parseUnsignedLong(ends[0], 16);
        bounds.high[column] = Long.parseUnsignedLong(ends[1], 16);
      }
    }
    return bounds;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof WordBounds && texts().equals(((WordBounds) other).texts());
  }

  @Override
  public int hashCode() {
    return texts().hashCode();
  }

  @Override
  public String toString() {
    return new ArrayList<>(texts()).toString();
  }
}
