package io.hudizorder.layout.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.hudizorder.layout.query.AskedQuery.Values;
import io.hudizorder.layout.query.PartitionValues.Kind;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ReachingQueriesTest {

  private static PartitionValues day(int day) {
    return PartitionValues.UNKNOWN.with("day", Kind.NUMBER, Integer.toString(day));
  }

  private static Map<String, List<Values>> is(String column, int value) {
    String text = Integer.toString(value);
    return Map.of(column, List.of(new Values(text, text, false, false)));
  }

  private static AskedPartitions days(double share, int... days) {
    List<Values> asked =
        Arrays.stream(days)
            .mapToObj(Integer::toString)
            .map(day -> new Values(day, day, false, false))
            .collect(Collectors.toList());
    return new AskedPartitions(share, List.of(Map.of("day", asked)));
  }

  private static AskedQuery query(
      double weight, Map<String, List<Values>> box, AskedPartitions... partitions) {
    return new AskedQuery(weight, List.of(box), AskedWhen.UNKNOWN, Arrays.asList(partitions));
  }

  private static ReachingQueries of(PartitionValues partition, AskedQuery... queries) {
    PartitionedQueries table = new PartitionedQueries(List.of(queries));
    ReachingQueries found = table.reaching(partition);
    assertThat(table.share(partition)).isEqualTo(found.share());
    return found;
  }

  /** Of a year of days by region, and reports of any hundred days. */
  @Test
  void manyPartitionsAndConditionsTakeNoTime() {
    AskedQuery[] queries = new AskedQuery[1_000];
    for (int q = 0; q < queries.length; q++) {
      List<Values> days = new ArrayList<>();
      for (int day = 0; day < 100; day++) {
        String text = LocalDate.of(2026, 1, 1).plusDays(q + day).toString();
        days.add(new Values(text, text, false, false));
      }
      queries[q] =
          query(1, is("a", q), new AskedPartitions(1, List.of(Map.of("day", List.copyOf(days)))));
    }
    PartitionedQueries table = new PartitionedQueries(List.of(queries));

    Duration allowed = Duration.ofSeconds(20);
    assertTimeoutPreemptively(
        allowed,
        () -> {
          for (int p = 0; p < 300; p++) {
            String day = LocalDate.of(2026, 1, 1).plusDays(p / 10).toString();
            PartitionValues partition =
                PartitionValues.UNKNOWN
                    .with("day", Kind.DAY, day)
                    .with("region", Kind.NUMBER, Integer.toString(p % 10));
            double reached = Math.min(p / 10, 99) + 1;
            assertThat(table.reaching(partition).share()).isEqualTo(reached / 1_000);
          }
        });
  }

  @Test
  void aPartitionIsLaidOutForTheQueriesThatAskForIt() {
    AskedQuery a = query(3, is("a", 5), days(1, 1));
    AskedQuery b = query(1, is("b", 6), days(1, 2));

    ReachingQueries first = of(day(1), a, b);
    ReachingQueries second = of(day(2), a, b);

    assertThat(first.queries()).hasToString("[3.0 [{a=[[5,5]]}]]");
    assertThat(first.share()).isEqualTo(0.75);
    assertThat(second.queries()).hasToString("[1.0 [{b=[[6,6]]}]]");
    assertThat(second.share()).isEqualTo(0.25);
  }

  @Test
  void whatIsAskedOfAnyPartitionWeighsTheLessTheMoreIsAskedOfThePartitionItself() {
    AskedQuery some = query(8, is("a", 5), days(0.5, 1), days(0.25, 2));

    // Of 1: half of 8, and in the mean of either partition 3; of 2: a quarter; of all: a quarter.
    double trust = 1 / 9.;
    assertThat(of(day(1), some).queries().get(0).weight())
        .isCloseTo(trust * 4 + (1 - trust) * 3 + 2, within(1e-9));
    assertThat(of(day(2), some).queries().get(0).weight())
        .isCloseTo(trust * 2 + (1 - trust) * 3 + 2, within(1e-9));
    assertThat(of(day(3), some).queries().get(0).weight()).isCloseTo(3 + 2, within(1e-9));
    assertThat(of(day(1), some).share()).isEqualTo(0.75);
    assertThat(of(day(2), some).share()).isEqualTo(0.5);
    assertThat(of(day(3), some).share()).isEqualTo(0.25);
  }

  @Test
  void ofManyThatAskForAPartitionLittleIsLeftToOthers() {
    AskedQuery[] queries = new AskedQuery[2 * 792];
    for (int q = 0; q < queries.length; q++) {
      queries[q] = query(1, is("a", q), days(1, q % 2));
    }

    List<AskedQuery> found = of(day(1), queries).queries();

    assertThat(found).hasSize(queries.length);
    double others =
        found.stream().filter(query -> query.weight() < 0.5).mapToDouble(AskedQuery::weight).sum();
    assertThat(others).isCloseTo(792 * 0.01 / 2, within(1e-6));
    assertThat(found.stream().mapToDouble(AskedQuery::weight).sum()).isCloseTo(792, within(1e-6));
  }

  @Test
  void ofAlternativesThoseAreLeftThatAskForThePartition() {
    AskedQuery either =
        new AskedQuery(
            1,
            List.of(is("a", 5), is("b", 6), is("c", 7)),
            AskedWhen.LATER,
            List.of(new AskedPartitions(1, List.of(is("day", 1), is("day", 2), Map.of()))));

    ReachingQueries second = of(day(2), either);

    assertThat(second.queries()).hasToString("[1.0 [{b=[[6,6]]}, {c=[[7,7]]}]]");
    assertThat(second.queries().get(0).when()).isEqualTo(AskedWhen.LATER);
    assertThat(second.share()).isEqualTo(1);
  }

  @Test
  void columnsThatAreAskedOfOtherPartitionsAreKnown() {
    AskedQuery a = query(97, is("a", 5), days(1, 1));
    AskedQuery b = query(2, is("b", 6), days(0.75, 2));
    AskedQuery seldom = query(0.5, is("c", 7), days(1, 2));
    AskedQuery all =
        query(2, Map.of("d", List.of(new Values(null, null, false, false))), days(1, 2));

    assertThat(of(day(1), a, b, seldom, all).askedElsewhere()).containsExactly("b");
    assertThat(of(day(2), a, b, seldom, all).askedElsewhere()).containsExactly("a");
    assertThat(of(PartitionValues.UNKNOWN, a, b, seldom, all).askedElsewhere()).isEmpty();
  }

  @Test
  void anUnknownPartitionIsLaidOutForAllAsTheyAre() {
    AskedQuery a = query(3, is("a", 5), days(1, 1));
    AskedQuery b = query(1, is("b", 6), days(1, 2));

    ReachingQueries found = of(PartitionValues.UNKNOWN, a, b);

    assertThat(found.queries()).containsExactly(a, b);
    assertThat(found.share()).isEqualTo(1);
  }

  @Test
  void aPartitionThatNoQueryReachesIsLaidOutForAll() {
    AskedQuery a = query(3, is("a", 5), days(1, 1));
    AskedQuery b = query(1, is("b", 6), days(1, 3));

    ReachingQueries found = of(day(2), a, b);

    assertThat(found.queries()).containsExactly(a, b);
    assertThat(found.share()).isZero();
  }

  @Test
  void aDayThatNobodyAsksForYetIsLaidOutForWhatIsAskedOfOneDayAfterAnother() {
    AskedQuery daily = query(4, is("a", 5), days(0.5, 1), days(0.5, 2));
    AskedQuery once = query(1, is("b", 6), days(1, 2));
    AskedQuery always = query(1, is("c", 7));

    ReachingQueries next = of(day(3), daily, once, always);

    assertThat(next.queries()).hasToString("[2.0 [{a=[[5,5]]}], 1.0 [{c=[[7,7]]}]]");
    assertThat(next.queries().get(1)).isSameAs(always);
    assertThat(next.share()).isEqualTo(1 / 6.);
  }

  @Test
  void whatIsAlwaysAskedOfOneRegionIsExpectedOfNoOtherHoweverItsDaysMove() {
    Map<String, List<Values>> first = new HashMap<>(is("region", 1));
    first.putAll(is("day", 1));
    Map<String, List<Values>> second = new HashMap<>(is("region", 1));
    second.putAll(is("day", 2));
    AskedQuery daily =
        query(
            4,
            is("a", 5),
            new AskedPartitions(0.5, List.of(first)),
            new AskedPartitions(0.5, List.of(second)));
    AskedQuery other = query(1, is("b", 6), new AskedPartitions(1, List.of(is("region", 2))));

    assertThat(of(day(3).with("region", Kind.NUMBER, "1"), daily, other).queries())
        .hasToString("[2.0 [{a=[[5,5]]}]]");
    assertThat(of(day(3).with("region", Kind.NUMBER, "2"), daily, other).queries())
        .hasToString("[1.0 [{b=[[6,6]]}]]");
  }
}
