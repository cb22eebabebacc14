package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.write.Verify;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.hudi.config.HoodieClusteringConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ZOrderOptionsTest {

  private static final String COLUMNS = "hoodie.clustering.plan.strategy.sort.columns";
  private static final String STRATEGY = "hoodie.layout.optimize.strategy";
  private static final String WEIGHTS = "hoodie.clustering.zorder.column.weights";
  private static final String QUERIES =
      "{\"version\": 1, \"queries\": [[1, {\"a\": [[\"1\", \"2\"]]}]]}";

  private static ZOrderOptions options(String... keysAndValues) {
    return ZOrderOptions.of(properties(keysAndValues), Map.of());
  }

  private static Properties properties(String... keysAndValues) {
    Properties properties = new Properties();
    properties.setProperty(COLUMNS, "a,b");
    for (int i = 0; i < keysAndValues.length; i += 2) {
      // A value that a user typed is never the instance of Hudi's own default.
      properties.setProperty(keysAndValues[i], new String(keysAndValues[i + 1].toCharArray()));
    }
    return properties;
  }

  @Test
  void whatIsUnsetIsTheSampledZOrderInATree() {
    LayoutSpec layout = options().layout();

    assertThat(layout.columns()).containsExactly("a", "b");
    assertThat(layout.curve()).isEqualTo(Curve.ZORDER);
    assertThat(layout.build()).isEqualTo(LayoutSpec.BuildMethod.SAMPLE);
    assertThat(layout.cuts()).isEqualTo(LayoutSpec.Cuts.TREE);
    assertThat(layout.sampleSize()).isEqualTo(200_000);
    assertThat(layout.weights()).containsExactly(1, 1);
    assertThat(options().verify()).isEqualTo(Verify.COUNT);
  }

  @Test
  void defaultsThatHudiFillsInAreNotTakenForAChoice() {
    Properties filled =
        HoodieClusteringConfig.newBuilder().fromProperties(properties()).build().getProps();

    assertThat(filled.getProperty(STRATEGY)).isEqualTo("LINEAR");
    assertThat(ZOrderOptions.of(filled, Map.of()).layout().curve()).isEqualTo(Curve.ZORDER);
  }

  @ParameterizedTest
  @CsvSource({
    "LINEAR, LINEAR",
    "linear, LINEAR",
    "ZORDER, ZORDER",
    "z-order, ZORDER",
    "Hilbert, HILBERT"
  })
  void aChosenStrategyIsObeyedInHudisSpellings(String text, Curve curve) {
    assertThat(options(STRATEGY, text).layout().curve()).isEqualTo(curve);
  }

  @Test
  void thePlanWinsOverTheExecutor() {
    Map<String, String> plan = options(STRATEGY, "HILBERT", WEIGHTS, "b=3").toPlanParameters();
    Properties executor = properties(STRATEGY, "LINEAR", COLUMNS, "c");

    LayoutSpec layout = ZOrderOptions.of(executor, plan).layout();

    assertThat(layout.columns()).containsExactly("a", "b");
    assertThat(layout.curve()).isEqualTo(Curve.HILBERT);
    assertThat(layout.weights()).containsExactly(1, 3);
  }

  /** Python hands its executor the plan's parameters as its configuration, too. */
  @Test
  void whatAnotherVersionOfThePlansLineKnowsIsPassedOver() {
    Map<String, String> plan = options().toPlanParameters();
    Map<String, String> later = new HashMap<>(plan);
    later.put("hoodie.clustering.zorder.later", "any");
    Properties executor = new Properties();
    executor.putAll(later);

    assertThat(ZOrderOptions.of(executor, later).toPlanParameters()).isEqualTo(plan);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hoodie.clustering.zorder.z.column|_z",
        "hoodie.clustering.zorder.queries|{\"version\": 1, \"queries\": [[1, {\"a\": [[\"1\","
            + " \"2\"]]}]]}"
      })
  void whatAPlanDoesNotHaveTheExecutorDoesNotAdd(String key, String value) {
    Map<String, String> plan = options().toPlanParameters();

    ZOrderOptions executed = ZOrderOptions.of(properties(key, value), plan);

    assertThat(executed.layout().columns()).containsExactly("a", "b");
    assertThat(executed.toPlanParameters()).isEqualTo(plan);
  }

  @Test
  void planParametersReadBackToThemselves() {
    Map<String, String> plan =
        options(
                STRATEGY,
                "hilbert",
                "hoodie.clustering.zorder.seed",
                "-7",
                "hoodie.clustering.zorder.verify",
                "content",
                "hoodie.clustering.zorder.wait.for.writers",
                "7",
                "hoodie.layout.optimize.curve.build.method",
                "direct",
                "hoodie.layout.optimize.build.curve.sample.size",
                "1234",
                WEIGHTS,
                "a=2.5,b=1",
                "hoodie.clustering.zorder.queries",
                QUERIES)
            .toPlanParameters();

    assertThat(ZOrderOptions.of(new Properties(), plan).toPlanParameters()).isEqualTo(plan);
  }

  @ParameterizedTest
  @CsvSource({
    "hoodie.layout.optimize.strategy, linear",
    "hoodie.clustering.zorder.cuts, equal",
    "hoodie.clustering.zorder.z.column, _z"
  })
  void aPlanTellsNoQueriesByWhichNoFileIsCut(String key, String value) {
    assertThat(options(key, value, "hoodie.clustering.zorder.queries", QUERIES).toPlanParameters())
        .containsEntry("hoodie.clustering.zorder.queries", "none");
  }

  /** All but what a plan is made by. */
  @ParameterizedTest
  @CsvSource({
    "hoodie.clustering.zorder.cuts, equal",
    "hoodie.clustering.zorder.file.order, zorder",
    "hoodie.clustering.zorder.page.row.limit, 123",
    "hoodie.clustering.zorder.seed, -7",
    "hoodie.clustering.zorder.verify, content",
    "hoodie.clustering.zorder.wait.for.writers, 7",
    "hoodie.layout.optimize.strategy, HILBERT",
    "hoodie.layout.optimize.curve.build.method, DIRECT",
    "hoodie.layout.optimize.build.curve.sample.size, 1234",
    "hoodie.clustering.zorder.column.weights, 'a=2.5,b=1.0'"
  })
  void aPlanTellsItsExecutorWhatWasChosen(String key, String value) {
    assertThat(options(key, value).toPlanParameters()).containsEntry(key, value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a=2,b=1", "b=1, a=2", "a:2;b:1", "a=2"})
  void weightsAreReadInEverySpelling(String text) {
    assertThat(options(WEIGHTS, text).layout().weights()).containsExactly(2, 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hoodie.clustering.zorder.cutz | tree | did you mean 'hoodie.clustering.zorder.cuts'?",
        "hoodie.clustering.zorder.cuts | treee | did you mean 'tree'?",
        "hoodie.clustering.zorder.seed | ten | 'ten' is not a number",
        "hoodie.clustering.zorder.verify | maybe | valid are: count, content, none",
        "hoodie.clustering.zorder.queries | a = 1 | it is no JSON",
        "hoodie.clustering.zorder.column.weights | a | or 'a:2;b:1' in the options of a CALL, of whose",
        "hoodie.clustering.zorder.column.weights | c=2 | 'c' is not a sort column",
        "hoodie.clustering.zorder.column.weights | a=-1 | a weight is a number above 0",
        "hoodie.clustering.zorder.column.weights | a=NaN | a weight is a number above 0",
        "hoodie.clustering.zorder.column.weights | a=Infinity | a weight is a number above 0",
        "hoodie.clustering.zorder.column.weights | a=x | 'x' is not a number",
        "hoodie.layout.optimize.strategy | HILBURT | did you mean 'HILBERT'?",
        "hoodie.layout.optimize.curve.build.method | SIMPLE | did you mean 'SAMPLE'?",
        "hoodie.layout.optimize.build.curve.sample.size | 0 | it must lie between 1 and 2147483647",
        "hoodie.clustering.plan.strategy.sort.columns | a,,b | name the columns to cluster by"
      })
  void aBadOptionIsRefusedByKeyValueAndRemedy(String key, String value, String remedy) {
    assertThatThrownBy(() -> options(key, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Cannot cluster")
        .hasMessageContaining(key)
        .hasMessageContaining(remedy);
  }

  @Test
  void noColumnsAreRefused() {
    assertThatThrownBy(() -> ZOrderOptions.of(new Properties(), Map.of()))
        .hasMessageContaining(COLUMNS)
        .hasMessageContaining("name the columns to cluster by");
  }

  @Test
  void aFileHas128MegabytesAsInPython() {
    assertThat(ZOrderOptions.DEFAULT_TARGET_FILE_BYTES).isEqualTo("134217728");
  }
}
