package io.hudizorder.spark.fit;

import io.hudizorder.spark.sample.OnePassSample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * How many bytes a row adds to a file, by its bytes in memory. Most rows of a table are of about
 * one size, and compress alike; one that holds a long text compresses as texts do. Rows are
 * therefore measured by classes of size.
 */
final class RowCosts {

  /** Rows of less, as a multiple of the median, are of the first class. */
  private static final int USUAL = 2;

  /** Binary logarithm of how much larger the rows of the next class are. */
  private static final int CLASS_BITS = 2;

  private final long usual;

  /** By class; of one without measured rows, what the class below adds. */
  private final List<FileBytes> classes = new ArrayList<>();

  private RowCosts(long medianBytes) {
    this.usual = Math.max(1, USUAL * medianBytes);
  }

  /**
   * Measures rows.
   *
   * @param rows of whole rows
   * @param order of the rows in files
   * @param file measures some of the rows, in order
   */
  static RowCosts measure(
      OnePassSample.DrawnRows rows, List<Integer> order, Function<List<Integer>, FileBytes> file) {
    long[] bytes = order.stream().mapToLong(rows::bytes).sorted().toArray();
    RowCosts costs = new RowCosts(bytes.length == 0 ? 0 : bytes[bytes.length / 2]);
    Map<Integer, List<Integer>> byClass =
        order.stream().collect(Collectors.groupingBy(row -> costs.classOf(rows.bytes(row))));
    costs.classes.add(file.apply(byClass.getOrDefault(0, List.of())));
    int last = byClass.keySet().stream().max(Integer::compare).orElse(0);
    for (int c = 1; c <= last; c++) {
      costs.classes.add(
          byClass.containsKey(c) ? file.apply(byClass.get(c)) : costs.classes.get(c - 1));
    }
    return costs;
  }

  /** The class of a row; that of half the rows at least is 0. */
  int classOf(long bytes) {
    long times = bytes / usual;
    return times == 0 ? 0 : 1 + (Long.SIZE - 1 - Long.numberOfLeadingZeros(times)) / CLASS_BITS;
  }

  /** What a row adds to a file. */
  double of(long bytes) {
    return classes.get(Math.min(classOf(bytes), classes.size() - 1)).added(bytes);
  }

  /** What a file costs, with its rows and without. */
  FileBytes file() {
    return classes.get(0);
  }
}
