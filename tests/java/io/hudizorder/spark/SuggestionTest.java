package io.hudizorder.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SuggestionTest {

  @Test
  void aNearNameIsSuggested() {
    assertThat(Suggestion.among(List.of("carrier", "distance"), "distanse"))
        .isEqualTo("did you mean 'distance'? Valid are: carrier, distance");
  }

  @Test
  void aFarNameIsNot() {
    assertThat(Suggestion.among(List.of("carrier", "distance"), "x"))
        .isEqualTo("valid are: carrier, distance");
  }

  @Test
  void aLongListIsCutAndCounted() {
    List<String> many =
        IntStream.range(0, 40).mapToObj(i -> "column" + i).collect(Collectors.toList());

    assertThat(Suggestion.among(many, "zzz")).endsWith("column11, ... (40 in all)");
  }
}
