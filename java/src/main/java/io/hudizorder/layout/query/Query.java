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

  /** A column is seldom asked that a smaller part of all queries asks, by their weight. */
  public static final double SELDOM = 0.01;

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

  /**
   * Whether a box asks for some of a column's values, and not for all of them, or for its nulls.
   */
  public boolean asks(int column) {
    return boxes.stream()
        .map(box -> box.get(column))
        .anyMatch(
            set ->
                set != null
                    && !set.equals(WordSet.ALL)
                    && !set.equals(WordSet.VALUES)
                    && !set.equals(WordSet.NULL));
  }

  AskedWhen when() {
    return when;
  }

  /** What queries have in common that compare the same columns in the same way. */
  String template() {
    StringBuilder text = new StringBuilder();
    for (Map<Integer, WordSet> box : boxes) {
      text.append('|');
      new TreeMap<>(box)
          .forEach(
              (c, set) -> {
                text.append(c).append(':');
                for (long[] range : set.ranges()) {
                  text.append(lowEnd(range)).append(range[1] == -1L ? '>' : ']');
                }
              });
    }
    return text.toString();
  }

  /** What the low end of a range is: null, of which 0 is the word, none, or a value. */
  private static char lowEnd(long[] range) {
    return range[0] == 0 ? 'n' : range[0] == 1 ? '<' : '[';
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
