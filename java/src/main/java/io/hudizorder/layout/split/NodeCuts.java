package io.hudizorder.layout.split;

import io.hudizorder.layout.rank.QuickSelect;
import java.util.Arrays;

/**
 * A node of a growing tree, divided by several cuts of one column at once, and the boxes on both
 * sides of every cut. One pass over the node's rows serves all cuts, as in histogram-based decision
 * trees.
 */
public final class NodeCuts {
  private final NumberedColumn[] columns;

  /** The numbers of a node's rows in the column that is cut, on their way into order. */
  private final int[] numbers;

  /** The part of each of a node's rows. */
  private final byte[] partOf;

  /** A node's rows, part by part. */
  private final int[] byPart;

  /** Where the rows of each part begin, and where the last ones end. */
  private final int[] starts;

  private final int[] cuts;
  private int count;

  private final Box none;
  private final Box[] parts;
  private final Box[] left;
  private final Box[] right;

  /**
   * Room for cuts.
   *
   * @param rows most rows of a node that is cut
   * @param targets most rows to cut at
   */
  public NodeCuts(NumberedColumn[] columns, int rows, int targets) {
    this.columns = columns;
    numbers = new int[rows];
    partOf = new byte[rows];
    byPart = new int[rows];
    cuts = new int[2 * targets];
    starts = new int[cuts.length + 2];
    none = new Box(columns);
    parts = boxes(cuts.length + 1);
    left = boxes(cuts.length);
    right = boxes(cuts.length);
  }

  private Box[] boxes(int length) {
    Box[] boxes = new Box[length];
    Arrays.setAll(boxes, i -> new Box(columns));
    return boxes;
  }

  /** The box around a whole node, which is good until the next call. */
  public Box whole(int from, int to, int[] measured) {
    count = 0;
    assignRows(from, to, columns[0]);
    measure(measured);
    return parts[0];
  }

  /**
   * Cuts a node at some of its rows. A cut never parts equal values, so that a target among equal
   * ones gives two cuts: one on either side of them.
   *
   * @param c the column to cut
   * @param targets positions in the node's rows, were they sorted by the column; ascending
   * @param measured the columns that the boxes are to tell about
   */
  public void cut(int from, int to, int c, int[] targets, int[] measured) {
    NumberedColumn key = columns[c];
    findCuts(from, to, key, targets);
    assignRows(from, to, key);
    measure(measured);
    for (int cut = 0; cut < count; cut++) {
      left[cut].setUnion(parts[cut], cut == 0 ? none : left[cut - 1]);
    }
    for (int cut = count - 1; cut >= 0; cut--) {
      right[cut].setUnion(parts[cut + 1], cut == count - 1 ? none : right[cut + 1]);
    }
  }

  private void findCuts(int from, int to, NumberedColumn key, int[] targets) {
    key.copyNumbers(from, to, numbers);
    count = 0;
    int sorted = 0;
    for (int target : targets) {
      int number = QuickSelect.select(numbers, sorted, to - from, target);
      sorted = target;
      addCut(number, key);
      if (key.repeats(number)) {
        addCut(number + 1, key);
      }
    }
  }

  private void addCut(int number, NumberedColumn key) {
    boolean valid = number >= 0 && number < key.distinct();
    if (valid && (count == 0 || number > cuts[count - 1])) {
      cuts[count++] = number;
    }
  }

  private void assignRows(int from, int to, NumberedColumn key) {
    int[] ends = new int[count + 1];
    for (int row = from; row < to; row++) {
      int number = key.number(row);
      int part = 0;
      for (int cut = 0; cut < count; cut++) {
        part += number >= cuts[cut] ? 1 : 0;
      }
      partOf[row - from] = (byte) part;
      ends[part]++;
    }
    for (int part = 0; part <= count; part++) {
      ends[part] += starts[part];
      starts[part + 1] = ends[part];
    }
    for (int row = to - 1; row >= from; row--) {
      byPart[--ends[partOf[row - from]]] = row;
    }
  }

  private void measure(int[] measured) {
    for (int part = 0; part <= count; part++) {
      parts[part].setRows(starts[part + 1] - starts[part]);
      for (int c : measured) {
        columns[c].measure(byPart, starts[part], starts[part + 1], c, parts[part]);
      }
    }
  }

  /** How many cuts there are. */
  public int count() {
    return count;
  }

  /** The least number of the column that lies right of a cut. */
  int number(int cut) {
    return cuts[cut];
  }

  /** The box around the rows left of a cut. */
  Box left(int cut) {
    return left[cut];
  }

  /** The box around the rows right of a cut. */
  Box right(int cut) {
    return right[cut];
  }
}
