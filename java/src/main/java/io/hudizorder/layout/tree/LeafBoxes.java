package io.hudizorder.layout.tree;

/** The box of words that cuts keep the rows of each file to. */
public final class LeafBoxes {
  private final int columns;
  private final long[] lows;
  private final long[] highs;

  /**
   * For boxes between words, unsigned and inclusive, file by file and within it column by column.
   *
   * @param lows the least words; kept
   * @param highs the greatest; kept
   */
  LeafBoxes(int columns, long[] lows, long[] highs) {
    this.columns = columns;
    this.lows = lows;
    this.highs = highs;
  }

  /** The least word that a file may have of a column; 0, that of null, where no cut bounds it. */
  long low(int file, int column) {
    return lows[file * columns + column];
  }

  /** The greatest such word. */
  long high(int file, int column) {
    return highs[file * columns + column];
  }

  /** Brings words from the boxes to all words that there are. */
  LeafStretch stretch() {
    return new LeafStretch(columns, lows, highs);
  }
}
