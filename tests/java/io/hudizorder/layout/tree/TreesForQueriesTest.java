package io.hudizorder.layout.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.key.WordSet;
import io.hudizorder.key.Words;
import io.hudizorder.layout.query.Query;
import io.hudizorder.layout.split.NumberedColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class TreesForQueriesTest {

  private static Query between(double weight, int column, double low, double high) {
    WordSet words = WordSet.range(Words.ofDouble(low), Words.ofDouble(high));
    return new Query(weight, List.of(Map.of(column, words)));
  }

  /** There are more of them than are looked at, and those left out must not lift the heaviest. */
  @Test
  void whatIsAskedAHundredTimesCountsAsAHundredQueriesDo() {
    List<Query> others =
        new Random(5)
            .doubles(1_000)
            .mapToObj(value -> between(1, 1, value, value))
            .collect(Collectors.toList());
    List<Query> one = new ArrayList<>(others);
    one.add(0, between(100, 0, 0, 0.25));
    List<Query> hundred = new ArrayList<>(others);
    IntStream.range(0, 100).forEach(i -> hundred.add(11 * i, between(1, 0, 0, 0.25)));
    assertThat(shareCutFor(one, one))
        .isCloseTo(shareCutFor(hundred, one), Percentage.withPercentage(2));
  }

  /** What queries read of a tree that is cut for known ones. */
  private static double shareCutFor(List<Query> known, List<Query> queries) {
    long[][] table = Tables.uniform(4_000, 2, 7);
    double[] equal = Tables.equalWeights(2);
    TreesForQueries trees = new TreesForQueries(table, NumberedColumn.all(table), equal, 8, known);
    return trees.best(new double[equal.length]).reads.share(queries);
  }
}
