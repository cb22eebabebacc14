package io.hudizorder.layout.query;

/** Rows that are to be cut for queries. */
final class QueryNode {
  /** Where its rows lie in the sample, those from one position up to another. */
  final int[] rows;

  final int from;
  final int to;

  /** By so many of them, the first, is judged what queries gain. */
  final int judged;

  /** How many files they are to fill. */
  final int files;

  /** How many of such rows a file should get. */
  final double rowsPerFile;

  /** Boxes of queries that meet them. */
  final int[] boxes;

  /** What file statistics would tell of those that are judged. */
  final Intervals bounds;

  QueryNode(
      int[] rows,
      int from,
      int to,
      int judged,
      int files,
      double rowsPerFile,
      int[] boxes,
      Intervals bounds) {
    this.rows = rows;
    this.from = from;
    this.to = to;
    this.judged = judged;
    this.files = files;
    this.rowsPerFile = rowsPerFile;
    this.boxes = boxes;
    this.bounds = bounds;
  }

  /** The same, whose rows may be swapped on their own. */
  QueryNode copy() {
    return new QueryNode(rows.clone(), from, to, judged, files, rowsPerFile, boxes, bounds);
  }

  int size() {
    return to - from;
  }
}
