package io.hudizorder.layout.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.key.WordSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QueryTest {

  @Test
  void whetherAColumnIsNullAsksForNoneOfItsValues() {
    for (WordSet any : List.of(WordSet.ALL, WordSet.VALUES, WordSet.NULL)) {
      Query query = new Query(1, List.of(Map.of(0, any), Map.of(1, WordSet.word(7))));

      assertThat(query.asks(0)).isFalse();
      assertThat(query.asks(1)).isTrue();
      assertThat(query.asks(2)).isFalse();
    }
  }
}
