package io.hudizorder.layout.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.key.WordSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HoldoutTest {

  private static Query range(int column, long low, AskedWhen when) {
    return new Query(1, List.of(Map.of(column, WordSet.range(low, low + 10))), when);
  }

  private static Query above(int column, long low) {
    return new Query(1, List.of(Map.of(column, WordSet.range(low, -1L))));
  }

  @Test
  void bothHalvesHaveAsManyOfEachTemplate() {
    List<Query> queries = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      queries.add(range(0, 2 + i * i, AskedWhen.UNKNOWN));
      queries.add(above(i % 4 == 0 ? 1 : 0, 2 + i));
    }
    Holdout halves = new Holdout(queries);
    assertThat(halves.known()).filteredOn(query -> query.template().equals("|0:[]")).hasSize(10);
    assertThat(halves.heldBack()).filteredOn(query -> query.template().equals("|0:[]")).hasSize(10);
    assertThat(halves.known().size() - halves.heldBack().size()).isBetween(-2, 2);
  }

  @Test
  void ofTemplatesOfOneQueryEveryOtherIsHeldBack() {
    List<Query> queries = new ArrayList<>();
    for (int c = 0; c < 12; c++) {
      queries.add(above(c, 5));
    }
    assertThat(new Holdout(queries).heldBack()).hasSize(6);
  }

  @Test
  void whereTimesAreKnownTheLaterOnesAreHeldBack() {
    Query early = range(0, 5, AskedWhen.EARLIER);
    Query late = range(0, 7, AskedWhen.LATER);
    Holdout halves = new Holdout(List.of(late, early, late));
    assertThat(halves.known()).containsExactly(early);
    assertThat(halves.heldBack()).containsExactly(late, late);
  }

  /** A plan tells a query of both halves twice. */
  @Test
  void halvesThatAskTheSameTellNothingOfOneAnother() {
    List<Query> reports = new ArrayList<>();
    for (int c = 0; c < 9; c++) {
      reports.add(range(c, 5, AskedWhen.EARLIER));
      reports.add(range(c, 5, AskedWhen.LATER));
    }
    assertThat(new Holdout(reports).isTelling()).isFalse();
    reports.add(range(0, 7, AskedWhen.LATER));
    assertThat(new Holdout(reports).isTelling()).isTrue();
  }

  @Test
  void fewDifferentQueriesTellNothingHoweverOftenTheyWereAsked() {
    List<Query> asked = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      asked.add(range(0, 2 + i, i < 4 ? AskedWhen.EARLIER : AskedWhen.LATER));
      asked.add(range(0, 2, AskedWhen.LATER));
    }
    assertThat(new Holdout(asked).isTelling()).isFalse();
    asked.add(range(0, 9, AskedWhen.LATER));
    assertThat(new Holdout(asked).isTelling()).isTrue();
  }
}
