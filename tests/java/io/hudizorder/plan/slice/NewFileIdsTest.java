package io.hudizorder.plan.slice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.commons.lang3.SerializationUtils;
import org.junit.jupiter.api.Test;

class NewFileIdsTest {

  private static final RunId RUN = RunId.of(1, "20260101000000000", "f");

  private static List<String> prefixes(NewFileIds ids) {
    return IntStream.range(0, 1_000).mapToObj(ids::prefix).collect(Collectors.toList());
  }

  @Test
  void aTaskHasTheSameIdsWhereverItIsRunAgain() {
    NewFileIds ids = new NewFileIds(RUN);

    assertThat(prefixes(SerializationUtils.clone(ids)))
        .isEqualTo(prefixes(ids))
        .allMatch(prefix -> RunId.of(1, prefix).equals(Optional.of(RUN)));
  }

  @Test
  void noTaskHasThoseOfAnotherOrOfAnotherExecution() {
    assertThat(
            Stream.of(RUN, RUN, RunId.of(1, "20260101000000000", "g"))
                .flatMap(run -> prefixes(new NewFileIds(run)).stream()))
        .hasSize(3_000)
        .doesNotHaveDuplicates();
  }
}
