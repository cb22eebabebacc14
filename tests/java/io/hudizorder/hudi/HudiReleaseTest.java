package io.hudizorder.hudi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HudiReleaseTest {

  @Test
  void findsTheVersionOnTheClassPath() {
    assertThat(HudiRelease.version()).isEqualTo("1.2.0");
    assertThat(HudiCalls.here().getClass().getPackageName()).endsWith(".v1_2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.2.0", "1.2.7", "1.2.0-amzn-1", "1.2.1-SNAPSHOT"})
  void takesEveryReleaseOfALine(String version) {
    assertThat(HudiRelease.require(version, "2.12")).isEqualTo(HudiRelease.Line.V1_2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.14.1", "0.16.0", "1.3.0", "1.20.0", "2.0.0", "of an unknown version"})
  void refusesAnotherHudiAndTellsWhichFits(String version) {
    assertThatThrownBy(() -> HudiRelease.require(version, "2.12"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Cannot cluster: this is Hudi " + version + ", and hudi-zorder")
        .hasMessageContaining("knows Hudi 1.2.0")
        .hasMessageEndingWith("use org.apache.hudi:hudi-spark3.5-bundle_2.12:1.2.0");
  }

  @Test
  void refusesOnAScalaWhatWasNotReleasedForIt() {
    assertThatThrownBy(() -> HudiRelease.require("1.2.0", "2.13"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("this is Hudi 1.2.0")
        .hasMessageEndingWith("use org.apache.hudi:hudi-spark3.5-bundle_2.13:1.1.1");
  }

  @ParameterizedTest
  @CsvSource({"2.12, 2.13, 1.1.1", "2.13, 2.12, 1.2.0"})
  void refusesAHudiForAnotherScala(String ofHudi, String ofSpark, String wanted) {
    assertThatThrownBy(() -> HudiRelease.requireScala(ofHudi, ofSpark))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a Hudi for Scala " + ofHudi + ", and a Spark with Scala " + ofSpark)
        .hasMessageEndingWith("use org.apache.hudi:hudi-spark3.5-bundle_" + ofSpark + ":" + wanted);
  }
}
