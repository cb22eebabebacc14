package io.hudizorder.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ServedListingsTest {

  @Test
  void partitionsAreAskedForInTheirOrderByRequestsThatTheServerTakes() {
    List<String> partitions =
        IntStream.range(0, 2_000)
            .mapToObj(day -> "region=é漢/day=" + day)
            .collect(Collectors.toList());

    List<List<String>> requests = ServedListings.requests(partitions);

    assertThat(requests.stream().flatMap(List::stream)).containsExactlyElementsOf(partitions);
    assertThat(requests)
        .hasSizeLessThan(100)
        .allMatch(
            request ->
                URLEncoder.encode(
                            "[\"" + String.join("\",\"", request) + "\"]", StandardCharsets.UTF_8)
                        .length()
                    < 4_100);
  }

  @Test
  void aNameThatIsTooLongIsAskedForByItself() {
    String name = "x".repeat(5_000);
    assertThat(ServedListings.requests(List.of("a", name, "b", "c")))
        .containsExactly(List.of("a"), List.of(name), List.of("b", "c"));
    assertThat(ServedListings.requests(List.of())).isEmpty();
  }

  /** Thousands of a table of hundreds of thousands take some more requests. */
  @Test
  void allPartitionsAreReadWhereNotFewAreAskedFor() {
    assertThat(ServedListings.isMostly(4_000, 4_000)).isTrue();
    assertThat(ServedListings.isMostly(4_000, 40_000)).isTrue();
    assertThat(ServedListings.isMostly(4_000, 500_000)).isFalse();
  }
}
