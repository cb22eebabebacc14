package io.hudizorder.spark.zcolumn;

import io.hudizorder.key.WordSet;
import io.hudizorder.key.ZBox;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Where the rows of a predicate may lie: a union of boxes, each a set of words for each column. As
 * its sets it may be made larger, and is, before it grows beyond {@link #MOST_BOXES}.
 */
final class WordRegion {

  /** Beyond so many boxes a region is not worth the time: it is made one box again. */
  private static final int MOST_BOXES = 64;

  /** Each is covered by ranges of its own, for which a query's planning takes some 0.2 ms. */
  private static final int MOST_Z_BOXES = 256;

  private final int columns;
  private final List<WordSet[]> boxes;

  private WordRegion(int columns, List<WordSet[]> boxes) {
    this.columns = columns;
    this.boxes = boxes;
  }

  /** All rows. */
  static WordRegion all(int columns) {
    return column(columns, 0, WordSet.ALL);
  }

  static WordRegion none(int columns) {
    return new WordRegion(columns, List.of());
  }

  /** The rows with these words in one column. */
  static WordRegion column(int columns, int column, WordSet words) {
    WordSet[] box = new WordSet[columns];
    Arrays.fill(box, WordSet.ALL);
    box[column] = words;
    return box(box);
  }

  /** The rows with these words in each column. */
  static WordRegion box(WordSet... box) {
    boolean empty = Arrays.stream(box).anyMatch(WordSet::isEmpty);
    return new WordRegion(box.length, empty ? List.of() : Collections.singletonList(box));
  }

  boolean isEmpty() {
    return boxes.isEmpty();
  }

  WordRegion or(WordRegion other) {
    List<WordSet[]> both = new ArrayList<>(boxes);
    both.addAll(other.boxes);
    return new WordRegion(columns, both).limited();
  }

  WordRegion and(WordRegion other) {
    List<WordSet[]> common = new ArrayList<>();
    for (WordSet[] mine : boxes) {
      for (WordSet[] box : other.boxes) {
        WordSet[] part = new WordSet[columns];
        Arrays.setAll(part, column -> mine[column].and(box[column]));
        common.addAll(box(part).boxes);
      }
    }
    return new WordRegion(columns, common).limited();
  }

  /** Whether a row can lie inside another region and outside this one, as far as can be told. */
  boolean contains(WordRegion other) {
    return other.boxes.stream()
        .allMatch(
            box ->
                boxes.stream()
                    .anyMatch(
                        mine ->
                            IntStream.range(0, columns)
                                .allMatch(column -> mine[column].contains(box[column]))));
  }

  /**
   * The region as boxes of one range a column, no more than so many for each of its own, and no
   * more than {@link #MOST_Z_BOXES}, or as many as that, of them all.
   */
  List<ZBox> zBoxes(int most) {
    List<ZBox> all = new ArrayList<>();
    int ofEach = Math.min(most, Math.max(MOST_Z_BOXES, most) / Math.max(1, boxes.size()));
    for (WordSet[] box : boxes) {
      addZBoxes(narrowed(box, ofEach), new long[columns], new long[columns], 0, all);
    }
    return all;
  }

  /** The sets with fewer ranges, until the product of their numbers is small enough. */
  private static WordSet[] narrowed(WordSet[] box, int most) {
    WordSet[] sets = box.clone();
    while (Arrays.stream(sets).mapToDouble(set -> set.ranges().size()).reduce(1, (a, b) -> a * b)
        > most) {
      int widest =
          IntStream.range(0, sets.length)
              .reduce((i, j) -> sets[j].ranges().size() > sets[i].ranges().size() ? j : i)
              .getAsInt();
      sets[widest] = sets[widest].atMost((sets[widest].ranges().size() + 1) / 2);
    }
    return sets;
  }

  private static void addZBoxes(
      WordSet[] sets, long[] low, long[] high, int column, List<ZBox> all) {
    if (column == sets.length) {
      all.add(ZBox.of(low, high));
      return;
    }
    for (long[] range : sets[column].ranges()) {
      low[column] = range[0];
      high[column] = range[1];
      addZBoxes(sets, low, high, column + 1, all);
    }
  }

  private WordRegion limited() {
    if (boxes.size() <= MOST_BOXES) {
      return this;
    }
    WordSet[] hull = new WordSet[columns];
    Arrays.setAll(
        hull, column -> WordSet.union(boxes.stream().map(box -> box[column])).atMost(MOST_BOXES));
    return box(hull);
  }
}
