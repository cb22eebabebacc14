package io.hudizorder.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlanVersionTest {

  @Test
  void itIsTheVersionOfThePom() throws Exception {
    Matcher version =
        Pattern.compile("<artifactId>hudi-zorder</artifactId>\\s*<version>([^<]*)</version>")
            .matcher(Files.readString(Path.of("pom.xml")));

    assertThat(version.find()).isTrue();
    assertThat(PlanVersion.OURS).isEqualTo(version.group(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.1.0", "0.1.7", "0.1.1-SNAPSHOT", "0.1"})
  void aPlanOfThisLineIsExecuted(String version) {
    assertThatCode(() -> PlanVersion.require(Map.of(PlanVersion.KEY, version)))
        .doesNotThrowAnyException();
  }

  @Test
  void aPlanWithoutAVersionIsExecuted() {
    assertThatCode(() -> PlanVersion.require(Map.of())).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.2.0", "1.1.0", "0", "", "later"})
  void aPlanOfAnotherLineIsRefused(String version) {
    assertThatThrownBy(() -> PlanVersion.require(Map.of(PlanVersion.KEY, version)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("this is hudi-zorder " + PlanVersion.OURS)
        .hasMessageContaining("'" + PlanVersion.KEY + "' of the plan was '" + version + "'")
        .hasMessageContaining("plan anew");
  }
}
