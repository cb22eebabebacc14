package io.hudizorder.spark;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SparkReleaseTest {

  @Test
  void theEngineItIsBuiltForIsAccepted() {
    assertThatCode(SparkRelease::requireSupported).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({"3.4.1, 2.12.17", "5.0.0, 2.13.16", "3.5.1, 2.11.12", "3.50.0, 2.12.18"})
  void anotherSparkOrScalaIsRefusedByName(String spark, String scala) {
    assertThatThrownBy(() -> SparkRelease.require(spark, scala))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Spark " + spark + " with Scala " + scala)
        .hasMessageContaining("pip install 'pyspark==3.5.*'");
  }
}
