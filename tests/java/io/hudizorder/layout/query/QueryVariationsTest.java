package io.hudizorder.layout.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.hudizorder.key.WordSet;
import io.hudizorder.key.Words;
import io.hudizorder.layout.split.NumberedColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueryVariationsTest {
  private static final int VALUES = 1_000;
  private static final NumberedColumn[] COLUMNS =
      NumberedColumn.all(
          new long[][] {LongStream.range(-VALUES, VALUES).map(Words::ofLong).toArray()});

  private static Query query(WordSet set) {
    return new Query(1, List.of(Map.of(0, set)));
  }

  private static WordSet upTo(long value) {
    return WordSet.range(1, Words.ofLong(value));
  }

  /** How many sampled values a query on the only column asks for. */
  private static long asked(Query query) {
    WordSet set = query.boxes().get(0).get(0);
    return LongStream.range(-VALUES, VALUES)
        .filter(v -> set.contains(WordSet.word(Words.ofLong(v))))
        .count();
  }

  /** Numbers of either sign: their words differ in what a signed comparison goes by. */
  @Test
  void anEqualityVariesAsOneValueBesideRangesOfTheSameColumn() {
    List<Query> queries = new ArrayList<>();
    for (long v = -900; v < 900; v += 100) {
      queries.add(query(WordSet.word(Words.ofLong(v))));
      queries.add(query(upTo(v)));
    }

    List<Query> varied = QueryVariations.with(queries, COLUMNS);

    assertThat(varied).hasSizeGreaterThan(2 * queries.size());
    for (Query one : varied) {
      long low = one.boxes().get(0).get(0).ranges().get(0)[0];
      assertThat(low == 1 || asked(one) == 1).as("%d values from %d", asked(one), low).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void whatHasNoLowEndKeepsNone(long low) {
    List<Query> queries = new ArrayList<>();
    for (long v = -900; v < 900; v += 100) {
      queries.add(query(WordSet.range(low, Words.ofLong(v))));
    }

    List<Query> varied = QueryVariations.with(queries, COLUMNS);

    assertThat(varied).hasSizeGreaterThan(2 * queries.size());
    assertThat(varied).allMatch(one -> one.boxes().get(0).get(0).ranges().get(0)[0] == low);
  }

  /** Ranges of ten and of two values, five apart, asked of the lowest tenth alone. */
  @Test
  void someAskForAsManyValuesFarFromAllThatWereAsked() {
    List<Query> queries = new ArrayList<>();
    for (long v = -VALUES; v < -800; v += 5) {
      queries.add(query(between(v, v + 9).or(between(v + 15, v + 16))));
    }

    List<Query> far =
        QueryVariations.with(queries, COLUMNS).stream()
            .filter(one -> first(one) > 0)
            .collect(Collectors.toList());

    assertThat(far).hasSizeGreaterThan(queries.size() / 2);
    assertThat(far).extracting(one -> asked(one)).containsOnly(12L);
    assertThat(far.stream().mapToLong(one -> first(one)).max().orElseThrow()).isGreaterThan(900);
  }

  private static WordSet between(long low, long high) {
    return WordSet.range(Words.ofLong(low), Words.ofLong(high));
  }

  /** The least sampled value that a query on the only column asks for. */
  private static long first(Query query) {
    WordSet set = query.boxes().get(0).get(0);
    return LongStream.range(-VALUES, VALUES)
        .filter(v -> set.contains(WordSet.word(Words.ofLong(v))))
        .findFirst()
        .orElseThrow();
  }

  /** As of a whole number between two others: no word is, whatever else the query asks. */
  @Test
  void whatAsksForNoValueGoesOnAskingForNone() {
    NumberedColumn[] two = {COLUMNS[0], COLUMNS[0]};
    List<Query> queries = new ArrayList<>();
    for (long v = 0; v < 20; v++) {
      Map<Integer, WordSet> box = Map.of(0, WordSet.NONE, 1, WordSet.word(Words.ofLong(v)));
      queries.add(new Query(1, List.of(box)));
    }

    List<Query> varied = QueryVariations.with(queries, two);

    assertThat(varied)
        .hasSizeGreaterThan(2 * queries.size())
        .allMatch(query -> query.boxes().get(0).get(0).isEmpty());
  }

  /** So many values from -500 on: more or fewer of those below, or as many elsewhere. */
  @Test
  void aQueryAloneInItsTemplateVariesToo() {
    List<Query> ends = QueryVariations.with(List.of(query(upTo(-500))), COLUMNS);
    List<Query> ranges = QueryVariations.with(List.of(query(between(-500, -401))), COLUMNS);

    assertThat(ends).hasSizeGreaterThan(4).allMatch(one -> first(one) == -VALUES);
    assertThat(ends).extracting(one -> asked(one)).allMatch(n -> n >= 250 && n <= 1_002);
    assertThat(ends.stream().mapToLong(one -> asked(one)).distinct()).hasSizeGreaterThan(4);
    assertThat(ranges).extracting(one -> asked(one)).containsOnly(100L);
    assertThat(ranges.stream().mapToLong(one -> first(one)).max().orElseThrow()).isPositive();
  }

  /** What is whatever a column holds, or its nulls, or all but some value. */
  @Test
  void whatHasNoEndToMoveStaysWhereItIsAlone() {
    WordSet allButOne = upTo(-1).or(WordSet.range(Words.ofLong(1), -1L));
    for (WordSet set : List.of(WordSet.ALL, WordSet.VALUES, WordSet.NULL, allButOne)) {
      assertThat(QueryVariations.with(List.of(query(set)), COLUMNS)).hasSize(1);
    }
  }

  /** Each is paired with another by chance, and never with itself. */
  @Test
  void noVariationIsWhatWasAsked() {
    List<Query> queries = List.of(query(upTo(-900)), query(upTo(900)));

    List<Query> varied = QueryVariations.with(queries, COLUMNS);

    assertThat(varied.subList(2, varied.size()))
        .isNotEmpty()
        .noneMatch(one -> asked(one) == asked(queries.get(0)))
        .noneMatch(one -> asked(one) == asked(queries.get(1)));
  }

  /** As where a sample has nulls alone. */
  @Test
  void aColumnWithoutValuesIsAskedForTheSame() {
    NumberedColumn[] none = NumberedColumn.all(new long[][] {{0, 0, 0}});
    List<Query> ends = List.of(query(upTo(-500)), query(upTo(500)));
    List<Query> ranges = List.of(query(between(1, 5)), query(between(7, 9)));
    for (List<Query> queries : List.of(ends, ranges, List.of(ranges.get(0)))) {
      assertThat(QueryVariations.with(queries, none))
          .allMatch(one -> queries.stream().anyMatch(query -> query.hash() == one.hash()));
    }
  }

  @Test
  void whatAsksForNothingStaysWhereItIsAlone() {
    assertThat(QueryVariations.with(List.of(query(WordSet.NONE)), COLUMNS)).hasSize(1);
  }

  @Test
  void theyWeighAsMuchAsTheQueriesAlone() {
    for (List<Query> queries :
        List.of(
            List.of(query(WordSet.VALUES), query(upTo(5))),
            List.of(query(WordSet.NULL)),
            List.of(query(upTo(-900)), query(upTo(900))))) {
      assertThat(QueryVariations.with(queries, COLUMNS).stream().mapToDouble(Query::weight).sum())
          .isCloseTo(queries.size(), within(1e-9));
    }
  }

  @Test
  void thereAreSomeHoweverManyQueries() {
    List<Query> queries = new ArrayList<>();
    for (int i = 0; i < 4_001; i++) {
      queries.add(query(upTo(i % 1_000)));
    }
    assertThat(QueryVariations.with(queries, COLUMNS)).hasSizeGreaterThan(queries.size());
  }
}
