package io.hudizorder.layout.query;

/** A cut of a node's rows, and what it gains. */
public final class QueryCut {
  private final int column;
  private final int number;
  private final long word;
  private final int leftFiles;
  private final double touched;

  QueryCut(int column, int number, long word, int leftFiles, double touched) {
    this.column = column;
    this.number = number;
    this.word = word;
    this.leftFiles = leftFiles;
    this.touched = touched;
  }

  public int column() {
    return column;
  }

  /** The least number of the column that goes right. */
  public int number() {
    return number;
  }

  /** The least word that goes right, sign bit flipped. */
  public long word() {
    return word;
  }

  /** How many of the node's files the rows on the left fill. */
  int leftFiles() {
    return leftFiles;
  }

  /** What is touched of both sides: weight times rows. */
  double touched() {
    return touched;
  }
}
