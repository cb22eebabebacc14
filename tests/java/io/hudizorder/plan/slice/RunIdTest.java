package io.hudizorder.plan.slice;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hudizorder.layout.Curve;
import io.hudizorder.layout.LayoutSpec;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RunIdTest {

  private static final long TARGET = 128 << 20;

  @Property(seed = "1")
  void aFileIdKeepsItsRun(
      @ForAll int layout, @ForAll long instant, @ForAll String group, @ForAll int other) {
    RunId run = RunId.of(layout, Long.toString(instant), group);
    String fileId = run.fileId(UUID.randomUUID()) + "-0";

    assertThat(RunId.of(layout, fileId)).contains(run);
    assertThat(RunId.of(other, fileId).isPresent()).isEqualTo(other == layout);
    assertThat(RunId.isOfRun(fileId)).isTrue();
  }

  @Property(seed = "1")
  void aRunKnowsTheClusteringThatHasLeftIt(
      @ForAll int layout, @ForAll @LongRange(min = 0) long instant, @ForAll String group) {
    String fileId = RunId.of(layout, Long.toString(instant), group).fileId(UUID.randomUUID());
    RunId read = RunId.of(layout, fileId).orElseThrow();

    assertThat(read.isLeftBy(Long.toString(instant))).isTrue();
    assertThat(LongStream.rangeClosed(1, 8).filter(i -> read.isLeftBy(Long.toString(instant - i))))
        .hasSizeLessThan(2);
  }

  @Property(seed = "1")
  void aFileIdIsAnUuidOfVersion8AndNoBuckets(@ForAll int layout, @ForAll long instant) {
    String fileId = RunId.of(layout, Long.toString(instant), "f").fileId(UUID.randomUUID());
    UUID id = UUID.fromString(fileId);

    assertThat(id.toString()).isEqualTo(fileId);
    assertThat(id.version()).isEqualTo(8);
    assertThat(id.variant()).isEqualTo(2);
    assertThat(fileId).doesNotStartWith("0");
  }

  @Test
  void filesOfARunHaveIdsOfTheirOwn() {
    RunId run = RunId.of(1, "1", "f");
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      ids.add(run.fileId(UUID.randomUUID()));
    }
    assertThat(ids).hasSize(10_000);
  }

  static Stream<JsonNode> runIds() throws IOException {
    return vectors("vectors");
  }

  static Stream<JsonNode> otherIds() throws IOException {
    return vectors("of_no_run");
  }

  @ParameterizedTest
  @MethodSource("runIds")
  void anIdIsOfItsRun(JsonNode vector) {
    String run = vector.get("run").asText();
    int layout = Integer.parseUnsignedInt(run.substring(0, 8), 16);

    assertThat(RunId.of(layout, vector.get("file_id").asText()).orElseThrow()).hasToString(run);
  }

  @ParameterizedTest
  @MethodSource("otherIds")
  void otherIdsAreOfNoRun(JsonNode vector) {
    assertThat(RunId.isOfRun(vector.get("file_id").asText())).isFalse();
  }

  @Property(seed = "1")
  void hudisOwnIdsAreOfNoRun(@ForAll byte[] seed) {
    assertThat(RunId.isOfRun(UUID.nameUUIDFromBytes(seed) + "-0")).isFalse();
    assertThat(RunId.isOfRun(UUID.randomUUID() + "-0")).isFalse();
  }

  @Test
  void namesInAnyCaseAndWeightsOfTheSameProportionAreOneLayout() {
    LayoutSpec spec =
        spec(List.of("a", "b"), Curve.ZORDER, LayoutSpec.Cuts.TREE, 0)
            .withWeights(new double[] {1, 0.5});

    assertThat(
            RunId.layout(
                spec(List.of("A", "b"), Curve.ZORDER, LayoutSpec.Cuts.TREE, 0)
                    .withWeights(new double[] {2, 1}),
                TARGET))
        .isEqualTo(RunId.layout(spec, TARGET));
  }

  @Test
  void aThirdIsOneLayoutHoweverItWasWritten() {
    LayoutSpec spec = spec(List.of("a", "b"), Curve.ZORDER, LayoutSpec.Cuts.TREE, 0);

    assertThat(RunId.layout(spec.withWeights(new double[] {0.1, 0.3}), TARGET))
        .isEqualTo(RunId.layout(spec.withWeights(new double[] {1, 3}), TARGET));
  }

  @Test
  void whatMakesALayoutMakesItsHash() {
    LayoutSpec spec = spec(List.of("a", "b"), Curve.ZORDER, LayoutSpec.Cuts.TREE, 0);
    int layout = RunId.layout(spec, TARGET);

    assertThat(RunId.layout(spec(List.of("a", "b"), Curve.ZORDER, LayoutSpec.Cuts.TREE, 7), TARGET))
        .isEqualTo(layout);
    assertThat(
            List.of(
                RunId.layout(spec, TARGET + 1),
                RunId.layout(spec.withWeights(new double[] {2, 1}), TARGET),
                RunId.layout(
                    spec(List.of("b", "a"), Curve.ZORDER, LayoutSpec.Cuts.TREE, 0), TARGET),
                RunId.layout(
                    spec(List.of("a", "b"), Curve.HILBERT, LayoutSpec.Cuts.TREE, 0), TARGET),
                RunId.layout(
                    spec(List.of("a", "b"), Curve.ZORDER, LayoutSpec.Cuts.EQUAL, 0), TARGET)))
        .doesNotHaveDuplicates()
        .doesNotContain(layout);
  }

  private static LayoutSpec spec(
      List<String> columns, Curve curve, LayoutSpec.Cuts cuts, long seed) {
    return LayoutSpec.builder()
        .columns(columns)
        .weights(new double[] {1, 1})
        .curve(curve)
        .build(LayoutSpec.BuildMethod.SAMPLE)
        .cuts(cuts)
        .fileOrder(LayoutSpec.FileOrder.AUTO)
        .pageRows(20_000)
        .sampleSize(1_000)
        .seed(seed)
        .create();
  }

  /** The vectors that test_run_id.py reads, too. */
  private static Stream<JsonNode> vectors(String list) throws IOException {
    try (InputStream json = RunIdTest.class.getResourceAsStream("/vectors/run_ids.json")) {
      JsonNode vectors = new ObjectMapper().readTree(json).get(list);
      assertThat(vectors).isNotEmpty();
      return StreamSupport.stream(vectors.spliterator(), false);
    }
  }
}
