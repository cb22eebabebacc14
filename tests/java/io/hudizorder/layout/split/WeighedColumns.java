package io.hudizorder.layout.split;

import io.hudizorder.key.WordSet;
import io.hudizorder.layout.query.Query;
import io.hudizorder.layout.tree.Forecast;
import io.hudizorder.layout.tree.SplitTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Independent columns that are asked with given weights, and what is read of their layouts. */
public final class WeighedColumns {
  private final long[][] table;
  private final long[][] sample;
  private final double[] weights;

  /**
   * @param weights by column, not of the tie-breaker
   */
  public WeighedColumns(long[][] table, long[][] sample, double[] weights) {
    double sum = Arrays.stream(weights).sum();
    this.table = table;
    this.sample = sample;
    this.weights = Arrays.stream(weights).map(weight -> weight / sum).toArray();
  }

  public String name() {
    double least = Arrays.stream(weights).min().orElseThrow();
    return Arrays.stream(weights)
        .mapToObj(weight -> String.valueOf(Math.round(weight / least)))
        .collect(Collectors.joining(":"));
  }

  /** What a grid of even cells reads that is not held to whole intervals. */
  public double bound(int files) {
    double product = Arrays.stream(weights).reduce(1, (a, b) -> a * b);
    return weights.length * Math.pow(product / files, 1.0 / weights.length);
  }

  /** What is read, over the bound. */
  public double ratio(Forecast forecast) {
    double share =
        IntStream.range(0, weights.length).mapToDouble(c -> weights[c] * forecast.touched(c)).sum();
    return share / bound(forecast.files());
  }

  /** What is read of even cells, no longer than a column, however many intervals that makes. */
  public double possible(int files) {
    double[] sides = weights.clone();
    Arrays.sort(sides);
    return new EvenGrid(sides, sides.length, files, 1).sumOfCellSides();
  }

  public Forecast plain(int files) {
    double[] ofAll = Arrays.copyOf(weights, table.length);
    return Forecast.of(SplitTree.build(sample, ofAll, files), table);
  }

  /** Each asks for one value of one column, drawn as often as its weight says. */
  private List<Query> log(int queries) {
    Random random = new Random(5);
    List<Query> drawn = new ArrayList<>();
    for (int i = 0; i < queries; i++) {
      double place = random.nextDouble();
      int c = 0;
      while (c < weights.length - 1 && place >= weights[c]) {
        place -= weights[c++];
      }
      long word = table[c][random.nextInt(table[c].length)];
      drawn.add(new Query(1, List.of(Map.of(c, WordSet.word(word)))));
    }
    return drawn;
  }

  /** Weighs as a plan does: how often each column is asked, against the one asked most. */
  public Forecast cutForLog(int queries, int files) {
    List<Query> log = log(queries);
    double[] counted = new double[table.length];
    for (int c = 0; c < weights.length; c++) {
      int column = c;
      counted[c] = log.stream().filter(query -> query.asks(column)).count();
    }
    double most = Arrays.stream(counted).max().orElseThrow();
    double[] asked =
        Arrays.stream(counted).map(n -> n == 0 ? 0 : Math.max(0.05, n / most)).toArray();
    return Forecast.of(SplitTree.build(sample, asked, files, log), table);
  }
}
