package io.hudizorder.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WordSetTest {

  /** The words 1, 3, 10, 11 and the greatest but one; gaps are compared without a sign. */
  @ParameterizedTest
  @CsvSource({
    "9, 1-1 3-3 a-b fffffffffffffffe-fffffffffffffffe",
    "4, 1-1 3-3 a-b fffffffffffffffe-fffffffffffffffe",
    "3, 1-3 a-b fffffffffffffffe-fffffffffffffffe",
    "2, 1-b fffffffffffffffe-fffffffffffffffe",
    "1, 1-fffffffffffffffe"
  })
  void ofFewerRangesTheWidestGapsStayOpen(int most, String ranges) {
    WordSet words = WordSet.union(Stream.of(1L, 3L, 10L, 11L, -2L).map(WordSet::word));

    assertThat(words.atMost(most).ranges())
        .extracting(range -> Long.toHexString(range[0]) + "-" + Long.toHexString(range[1]))
        .containsExactly(ranges.split(" "));
  }
}
