package io.hudizorder.layout.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.layout.query.AskedQuery.Values;
import io.hudizorder.layout.query.PartitionValues.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionValuesTest {

  private static final PartitionValues PARTITION =
      PartitionValues.UNKNOWN
          .with("Day", Kind.DAY, "2026-11-02")
          .with("region", Kind.TEXT, "EU")
          .with("part", Kind.NUMBER, "9");

  @ParameterizedTest
  @CsvSource({
    "day, 2026-11-02, 2026-11-02, [], true",
    "DAY, 2026-11-01, 2026-11-02, [], true",
    "day, 2026-11-01, 2026-11-02, [), false",
    "day, 2026-11-02, , (], false",
    "day, 2026-11-03, 2026-11-09, [], false",
    "day, , 2026-11-01, [], false",
    "day, , , [], true",
    "region, EU, EU, [], true",
    "region, Ea, , [], false",
    "region, , Ea, [], true",
    "region, , E, [], false",
    "part, 10, 10, [], false",
    "part, 8, 8, [], false",
    "part, 8, 10, [], true",
    // What is not known may be anything.
    "city, x, x, [], true",
    "part, ten, ten, [], true",
    "day, today, today, [], true",
  })
  void aValueIsHeldAgainstWhatIsAsked(
      String column, String low, String high, String ends, boolean mayBe) {
    List<Values> asked =
        List.of(new Values(low, high, ends.charAt(0) == '(', ends.charAt(1) == ')'));

    assertThat(PARTITION.mayBe(column, asked)).isEqualTo(mayBe);
  }

  @Test
  void aKnownValueIsNoNullAndOneOfSeveral() {
    Values eight = new Values("8", "8", false, false);
    Values nine = new Values("9", "9", false, false);

    assertThat(PARTITION.mayBe("part", List.of(Values.NULLS))).isFalse();
    assertThat(PARTITION.mayBe("city", List.of(Values.NULLS))).isTrue();
    assertThat(PARTITION.mayBe("part", List.of(Values.NULLS, eight, nine))).isTrue();
  }

  @Test
  void whatIsNoValueOfItsKindIsNotKnown() {
    PartitionValues found =
        PartitionValues.UNKNOWN
            .with("day", Kind.DAY, "2026/11/02")
            .with("part", Kind.NUMBER, "99999999999999999999");

    assertThat(found.areUnknown()).isTrue();
  }
}
