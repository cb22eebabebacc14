package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is found of the reports of many clusterings in one process. */
class ClusteringReportTest {

  private static final int MANY = 100;
  private static final String TABLE = "/lake/reports";

  private List<ClusteringReport> begun;

  private static ClusteringReport of(int clustering) {
    return ClusteringReport.of(TABLE, Integer.toString(clustering));
  }

  @BeforeEach
  void begin() {
    begun =
        IntStream.range(0, MANY)
            .mapToObj(i -> ClusteringReport.begin(TABLE, Integer.toString(i), false))
            .collect(Collectors.toList());
  }

  @AfterEach
  void end() {
    begun.forEach(ClusteringReport::end);
  }

  @Test
  void allThatAreUnderWayAreFound() {
    for (int i = 0; i < MANY; i++) {
      assertThat(of(i)).isSameAs(begun.get(i));
    }
  }

  @Test
  void theEldestOfThoseThatHaveEndedAreForgotten() {
    begun.subList(1, MANY).forEach(ClusteringReport::end);

    assertThat(of(0)).isSameAs(begun.get(0));
    assertThat(of(1)).isNull();
    assertThat(of(MANY - 1)).isSameAs(begun.get(MANY - 1));
  }

  @Test
  void oneOfAnotherTableAtTheSameInstantIsAnother() {
    ClusteringReport another = ClusteringReport.begin("/lake/another", "0", false);
    another.end();

    assertThat(of(0)).isSameAs(begun.get(0));
    assertThat(ClusteringReport.of("/lake/another/", "0")).isSameAs(another);
  }
}
