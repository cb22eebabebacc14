package io.hudizorder.layout;

import java.util.Arrays;

/**
 * A node of a growing tree, sliced by several cuts of one column at once, and the boxes on both
 * sides of every cut. One pass over the node's rows serves all cuts, as in histogram-based decision
 * trees.
 */
final class NodeCuts {
  private final NumberedColumn[] columns;

  /** The numbers of a node's rows in the column that is cut, on their way into order. */
  private final int[] numbers;

  /** The slice of each of a node's rows. */
  private final byte[] sliceOf;

  /** A node's rows, slice by slice. */
  private final int[] sliced;

  /** Where the rows of each slice begin, and where the last ones end. */
  private final int[] starts;

  private final int[] cuts;
  private int count;

  private final Box none;
  private final Box[] slices;
  private final Box[] left;
  private final Box[] right;

  /**
   * Room for slicing.
   *
   * @param rows most rows of a node that are sliced
   * @param targets most rows to cut at
   */
  NodeCuts(NumberedColumn[] columns, int rows, int targets) {
    this.columns = columns;
    numbers = new int[rows];
    sliceOf = new byte[rows];
    sliced = new int[rows];
    cuts = new int[2 * targets];
    starts = new int[cuts.length + 2];
    none = new Box(columns);
    slices = boxes(cuts.length + 1);
    left = boxes(cuts.length);
    right = boxes(cuts.length);
  }

  private Box[] boxes(int length) {
    Box[] boxes = new Box[length];
    Arrays.setAll(boxes, i -> new Box(columns));
    return boxes;
  }

  /** The box around a whole node, which is good until the next call. */
  Box whole(int from, int to, int[] measured) {
    count = 0;
    assignRows(from, to, columns[0]);
    measure(measured);
    return slices[0];
  }

  /**
   * Slices a node at some of its rows. A cut never parts equal values, so that a target among equal
   * ones gives two cuts: one on either side of them.
   *
   * @param c the column to cut
   * @param targets positions in the node's rows, were they sorted by the column; ascending
   * @param measured the columns that the boxes are to tell about
   */
  void slice(int from, int to, int c, int[] targets, int[] measured) {
    NumberedColumn key = columns[c];
    findCuts(from, to, key, targets);
    assignRows(from, to, key);
    measure(measured);
    for (int cut = 0; cut < count; cut++) {
      left[cut].setUnion(slices[cut], cut == 0 ? none : left[cut - 1]);
    }
    for (int cut = count - 1; cut >= 0; cut--) {
      right[cut].setUnion(slices[cut + 1], cut == count - 1 ? none : right[cut + 1]);
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
      int slice = 0;
      for (int cut = 0; cut < count; cut++) {
        slice += number >= cuts[cut] ? 1 : 0;
      }
      sliceOf[row - from] = (byte) slice;
      ends[slice]++;
    }
    for (int slice = 0; slice <= count; slice++) {
      ends[slice] += starts[slice];
      starts[slice + 1] = ends[slice];
    }
    for (int row = to - 1; row >= from; row--) {
      sliced[--ends[sliceOf[row - from]]] = row;
    }
  }

  private void measure(int[] measured) {
    for (int slice = 0; slice <= count; slice++) {
      slices[slice].setRows(starts[slice + 1] - starts[slice]);
      for (int c : measured) {
        columns[c].measure(sliced, starts[slice], starts[slice + 1], c, slices[slice]);
      }
    }
  }

  /** How many cuts there are. */
  int count() {
    return count;
  }

  /** The least number of the sliced column that lies right of a cut. */
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
