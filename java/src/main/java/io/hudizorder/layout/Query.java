package io.hudizorder.layout;

import io.hudizorder.key.WordSet;
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
  private final boolean heldBack;

  /**
   * @param weight above 0
   * @param boxes words by column, of at least one column each
   * @param heldBack whether it is of the later half, which a layout is to be judged by
   */
  public Query(double weight, List<Map<Integer, WordSet>> boxes, boolean heldBack) {
    this.weight = weight;
    this.boxes = List.copyOf(boxes);
    this.heldBack = heldBack;
  }

  /** A query that nobody knows the time of. */
  Query(double weight, List<Map<Integer, WordSet>> boxes) {
    this(weight, boxes, false);
  }

  double weight() {
    return weight;
  }

  List<Map<Integer, WordSet>> boxes() {
    return boxes;
  }

  boolean isHeldBack() {
    return heldBack;
  }

  boolean asks(int column) {
    return boxes.stream().anyMatch(box -> box.containsKey(column));
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
