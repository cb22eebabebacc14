package io.hudizorder.layout.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.key.WordSet;
import io.hudizorder.layout.rank.SignedWords;
import io.hudizorder.layout.split.NumberedColumn;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class NumberedQueriesTest {

  /** Of which 0 is null and -1 the greatest. */
  private static final long[] WORDS = {0, 1, 2, 3, 5, 8, 13, Long.MAX_VALUE, Long.MIN_VALUE, -1};

  private static final int ROWS = 12;

  private static final Map<Integer, WordSet> BOX = Map.of(0, WordSet.word(2));

  private static WordSet random(Random random) {
    return WordSet.union(
        LongStream.of(WORDS).filter(word -> random.nextInt(4) == 0).mapToObj(WordSet::word));
  }

  @Test
  void queriesMeetTheRowsWhoseRangesOrNullsTheyAskFor() {
    Random random = new Random(1);
    for (int trial = 0; trial < 100; trial++) {
      long[][] sample =
          IntStream.range(0, 2)
              .mapToObj(c -> random.ints(ROWS, 0, WORDS.length).mapToLong(i -> WORDS[i]).toArray())
              .toArray(long[][]::new);
      NumberedColumn[] columns = NumberedColumn.all(sample);
      List<Query> queries = new ArrayList<>();
      for (int q = 0; q < 10; q++) {
        queries.add(new Query(1, List.of(Map.of(0, random(random), 1, random(random)))));
      }
      int[] rows = IntStream.range(0, 1 + random.nextInt(3)).toArray();

      int[] met =
          new NumberedQueries(queries, columns)
              .meeting(
                  IntStream.range(0, queries.size()).toArray(),
                  new Intervals(columns, rows, 0, rows.length));

      assertThat(met)
          .containsExactly(
              IntStream.range(0, queries.size())
                  .filter(q -> meets(queries.get(q).boxes().get(0), columns, rows))
                  .toArray());
    }
  }

  private static NumberedQueries numbered(List<Query> queries) {
    return new NumberedQueries(queries, NumberedColumn.all(new long[][] {{1, 2, 3}}));
  }

  /** The boxes of queries that count. */
  private static int[] counting(NumberedQueries queries) {
    return all(queries).filter(box -> queries.weight(box) > 0).toArray();
  }

  private static IntStream all(NumberedQueries queries) {
    return IntStream.range(0, queries.boxes());
  }

  @Test
  void theFewThatAreDrawnWeighWhatAllDid() {
    List<Query> queries = new ArrayList<>();
    for (int q = 1; q <= 100; q++) {
      queries.add(new Query(1.0 / q, List.of(BOX, BOX)));
    }
    NumberedQueries many = numbered(queries);
    double sum = many.weigh(all(many).toArray());

    NumberedQueries drawn = many.drawn(all(many).toArray(), 60);

    int[] few = counting(drawn);
    assertThat(few).hasSizeBetween(55, 65).startsWith(0, 1, 2, 3);
    assertThat(drawn.weight(0)).isEqualTo(1);
    assertThat(drawn.weigh(few)).isCloseTo(sum, Percentage.withPercentage(1));
  }

  @Test
  void whereToCutIsToldByThoseAloneThatAreDrawn() {
    NumberedQueries queries = numbered(Collections.nCopies(50, new Query(1, List.of(BOX))));
    NumberedQueries few = queries.drawn(new int[] {7, 9}, 20);
    assertThat(counting(few)).containsExactly(7, 9);
    assertThat(few.literals(0).boxes).containsOnly(7, 9).hasSize(4);
  }

  @Test
  void aQueryOfMoreBoxesThanAreToBeLeftIsKeptWhole() {
    NumberedQueries one = numbered(List.of(new Query(3, Collections.nCopies(50, BOX))));
    NumberedQueries drawn = one.drawn(all(one).toArray(), 20);
    assertThat(counting(drawn)).hasSize(50);
    assertThat(drawn.weight(0)).isEqualTo(3);
  }

  private static boolean meets(Map<Integer, WordSet> box, NumberedColumn[] columns, int[] rows) {
    return box.entrySet().stream()
        .allMatch(asked -> !bounds(columns[asked.getKey()], rows).and(asked.getValue()).isEmpty());
  }

  /** What rows may have of a column, by their least and greatest word and their nulls. */
  private static WordSet bounds(NumberedColumn column, int[] rows) {
    long[] words =
        IntStream.of(rows)
            .map(column::number)
            .filter(number -> number != NumberedColumn.NULL)
            .sorted()
            .mapToLong(number -> SignedWords.flip(column.word(number)))
            .toArray();
    WordSet values =
        words.length == 0 ? WordSet.NONE : WordSet.range(words[0], words[words.length - 1]);
    return words.length == rows.length ? values : values.or(WordSet.NULL);
  }
}
