package io.hudizorder.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.layout.AskedQuery;
import java.util.List;
import java.util.stream.Collectors;
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
            "{\"version\": 1, \"queries\": [[2.5, {\"day\": [[\"1\", \"3\", \"[)\"], [null, \"0\"]]},"
                + " {\"city\": [\"null\"]}]]}",
            COLUMNS);

    assertThat(queries).hasSize(1);
    assertThat(queries.get(0).weight()).isEqualTo(2.5);
    assertThat(queries.get(0)).hasToString("2.5 [{day=[[1,3), [null,0]]}, {City=[null]}]");
  }

  @Test
  void theLastOnesAreHeldBackAsThePlanSaysAndNoneInPlansThatDoNot() {
    String box = ", {\"day\": [[\"1\", \"3\"]]}]";
    String queries = "\"queries\": [[1" + box + ", [2, {\"x\": []}], [3" + box + ", [4" + box + "]";

    assertThat(heldBack("{\"version\": 1, " + queries + ", \"held_back\": 2}"))
        .containsExactly(false, true, true);
    assertThat(heldBack("{\"version\": 1, " + queries + "}")).containsExactly(false, false, false);
    assertThatThrownBy(() -> heldBack("{\"version\": 1, " + queries + ", \"held_back\": 5}"))
        .hasMessageContaining("it has held_back 5");
  }

  private static List<Boolean> heldBack(String text) {
    return QueriesOption.parse(text, COLUMNS).stream()
        .map(AskedQuery::isHeldBack)
        .collect(Collectors.toList());
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
        "{\"version\": 1, \"queries\": [[1, {\"day\": [[\"1\", \"2\", \"<>\"]]}]]} | ends that are not"
      })
  void whatCannotBeReadIsRefusedByName(String text, String fault) {
    assertThatThrownBy(() -> QueriesOption.parse(text, COLUMNS))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("hoodie.clustering.zorder.queries")
        .hasMessageContaining(fault)
        .hasMessageContaining("cluster(queries=...)");
  }
}
