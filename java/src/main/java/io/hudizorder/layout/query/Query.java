package io.hudizorder.layout.query;

import io.hudizorder.key.WordSet;
import io.hudizorder.layout.rank.WordTable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A query as a layout sees it: boxes of words, of which it reads every row that lies in one, and
 * how much it counts against others. A column that a box does not name is not asked for.
 */
public final class Query {
  private final double weight;
  private final List<Map<Integer, WordSet>> boxes;
  private final AskedWhen when;

  /**
   * A query of which nobody knows when it was asked.
   *
   * @param weight above 0
   * @param boxes words by column, of at least one column each
   */
  public Query(double weight, List<Map<Integer, WordSet>> boxes) {
    this(weight, boxes, AskedWhen.UNKNOWN);
  }

  /**
   * @param weight above 0
   * @param boxes words by column, of at least one column each
   */
  public Query(double weight, List<Map<Integer, WordSet>> boxes, AskedWhen when) {
    this.weight = weight;
    this.boxes = List.copyOf(boxes);
    this.when = when;
  }

  /** What it counts for against others. */
  public double weight() {
    return weight;
  }

  /** What it asks of each column; a row that lies in one of the boxes is read. */
  public List<Map<Integer, WordSet>> boxes() {
    return boxes;
  }

  /** Whether a box names a column. */
  public boolean asks(int column) {
    return boxes.stream().anyMatch(box -> box.containsKey(column));
  }

  /** Whether the choice of a layout is judged by this query, and not made by it. */
  public boolean isHeldBack() {
    return when == AskedWhen.UNKNOWN ? (hash() & 1) == 1 : when == AskedWhen.LATER;
  }

  /** A number that follows from what is asked alone, and that looks random. */
  long hash() {
    long hash = 0;
    for (Map<Integer, WordSet> box : boxes) {
      for (Map.Entry<Integer, WordSet> asked : new TreeMap<>(box).entrySet()) {
        hash = WordTable.mixed(hash + asked.getKey());
        for (long[] range : asked.getValue().ranges()) {
          hash = WordTable.mixed(WordTable.mixed(hash ^ range[0]) ^ range[1]);
        }
      }
    }
    return hash;
  }
}
