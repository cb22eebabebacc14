package io.hudizorder.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.layout.query.AskedQuery;
import io.hudizorder.layout.query.AskedWhen;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueriesOptionTest {

  private static final List<String> COLUMNS = List.of("day", "City");

  @Test
  void weightsBoxesAndEndsAreRead() {
    List<AskedQuery> queries =
        QueriesOption.parse(
            "{\"version\": 1, \"queries\": [[2.5, {\"day\": [[\"1\", \"3\", \"[)\"], [null,"
                + " \"0\"]]}, {\"city\": [\"null\"]}]]}",
            COLUMNS);

    assertThat(queries).hasSize(1);
    assertThat(queries.get(0).weight()).isEqualTo(2.5);
    assertThat(queries.get(0)).hasToString("2.5 [{day=[[1,3), [null,0]]}, {City=[null]}]");
  }

  @Test
  void conditionsOnOtherColumnsAreLeftOutAndWhatThenReadsEverything() {
    List<AskedQuery> queries =
        QueriesOption.parse(
            "{\"version\": 1, \"queries\": ["
                + "[1, {\"day\": [[\"1\", \"1\"]], \"price\": [[\"2\", \"2\"]]}],"
                + "[1, {\"day\": [[\"1\", \"1\"]]}, {\"price\": [[\"2\", \"2\"]]}]]}",
            COLUMNS);

    assertThat(queries).hasSize(1);
    assertThat(queries.get(0)).hasToString("1.0 [{day=[[1,1]]}]");
  }

  @Test
  void partitionsAreThoseOfTheirQueries() {
    String query = "[1, {\"day\": [[\"1\", \"1\"]]}, {\"city\": [\"null\"]}]";
    List<AskedQuery> queries =
        QueriesOption.parse(
            "{\"version\": 1, \"queries\": ["
                + String.join(",", query, query)
                + "], \"partitions\": [[1, 0.5, {\"Region\": [[\"EU\", \"EU\"]]}],"
                + " [1, 0.25, {\"Region\": [[\"US\", \"US\"]]}, {}], [7, 1.0, {}]]}",
            COLUMNS);

    assertThat(queries.get(0)).hasToString("1.0 [{day=[[1,1]]}, {City=[null]}]");
    assertThat(queries.get(1))
        .hasToString(
            queries.get(0) + " of [0.5 [{region=[[EU,EU]]}], 0.25 [{region=[[US,US]]}, {}]]");
    assertThat(queries.get(1).inLowerCase()).isEqualTo(queries.get(0).inLowerCase());
  }

  @ParameterizedTest
  @CsvSource({"'', UNKNOWN, UNKNOWN", "'\"earlier\": 1,', EARLIER, LATER"})
  void theFirstOnesAreTheEarlierWhereThatIsTold(
      String told, AskedWhen ofFirst, AskedWhen ofSecond) {
    String query = "[1, {\"day\": [[\"%s\", null]]}]";
    List<AskedQuery> queries =
        QueriesOption.parse(
            String.format(
                "{\"version\": 1, %s \"queries\": [" + query + "," + query + "]}", told, 1, 2),
            COLUMNS);

    assertThat(queries).extracting(AskedQuery::when).containsExactly(ofFirst, ofSecond);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "none", "{\"version\": 1, \"queries\": []}"})
  void noneAreNone(String text) {
    assertThat(QueriesOption.parse(text, COLUMNS)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "day = 1 | it is no JSON",
        "{\"version\": 2, \"queries\": []} | its version is not 1",
        "{\"version\": 1} | queries is no list",
        "{\"version\": 1, \"queries\": [7]} | a query is no list: 7",
        "{\"version\": 1, \"queries\": [[0, {}]]} | no weight",
        "{\"version\": 1, \"queries\": [[1, 5]]} | a box is no object: 5",
        "{\"version\": 1, \"queries\": [[1, {\"day\": [\"nil\"]}]]} | a text that is not 'null'",
        "{\"version\": 1, \"queries\": [[1, {\"day\": [[\"1\"]]}]]} | no range",
        "{\"version\": 1, \"queries\": [[1, {\"day\": [[\"1\", \"2\", \"<>\"]]}]]} | ends that are"
            + " not",
        "{\"version\": 1, \"partitions\": 7, \"queries\": []} | partitions that are no list",
        "{\"version\": 1, \"partitions\": [[0, 1]], \"queries\": []} | partitions: [0,1]",
        "{\"version\": 1, \"partitions\": [[0, 0, {}]], \"queries\": []} | partitions: [0,0,{}]",
        "{\"version\": 1, \"partitions\": [[0, 1, {}, {}]], \"queries\": [[1, {\"day\": []}]]}"
            + " | partitions of no box"
      })
  void whatCannotBeReadIsRefusedByName(String text, String fault) {
    assertThatThrownBy(() -> QueriesOption.parse(text, COLUMNS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("hoodie.clustering.zorder.queries")
        .hasMessageContaining(fault)
        .hasMessageContaining("cluster(queries=...)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"%s", "{\"version\": 1, \"queries\": [\"%s\"]}"})
  void ofAMegabyteThatCannotBeReadAMessageHasTheBeginning(String text) {
    assertThatThrownBy(() -> QueriesOption.parse(String.format(text, "x".repeat(1 << 20)), COLUMNS))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .hasSizeLessThan(1_000);
  }
}
