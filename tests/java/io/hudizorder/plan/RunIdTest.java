package io.hudizorder.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.LayoutSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunIdTest {

  private static final long TARGET = 128 << 20;

  @Property
  void aFileIdKeepsItsRun(
      @ForAll int layout, @ForAll long instant, @ForAll String group, @ForAll int other) {
    RunId run = RunId.of(layout, Long.toString(instant), group);
    String fileId = run.newFileId() + "-0";

    assertThat(RunId.of(layout, fileId)).contains(run);
    assertThat(RunId.of(other, fileId).isPresent()).isEqualTo(other == layout);
    assertThat(RunId.isOfRun(fileId)).isTrue();
  }

  @Property
  void aFileIdIsAnUuidOfVersion8AndNoBuckets(@ForAll int layout, @ForAll long instant) {
    String fileId = RunId.of(layout, Long.toString(instant), "f").newFileId();
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
      ids.add(run.newFileId());
    }
    assertThat(ids).hasSize(10_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "f",
        "00000012-7f0e-4c2a-9d6f-2a3b4c5d6e7f-0",
        "not-a-uuid-of-36-characters-or-more-0"
      })
  void otherIdsAreOfNoRun(String fileId) {
    assertThat(RunId.isOfRun(fileId)).isFalse();
  }

  @Property
  void hudisOwnIdsAreOfNoRun(@ForAll byte[] seed) {
    assertThat(RunId.isOfRun(UUID.nameUUIDFromBytes(seed) + "-0")).isFalse();
    assertThat(RunId.isOfRun(UUID.randomUUID() + "-0")).isFalse();
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
}
