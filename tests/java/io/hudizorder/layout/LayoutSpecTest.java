package io.hudizorder.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.layout.query.AskedQuery;
import io.hudizorder.layout.query.AskedQuery.Values;
import io.hudizorder.layout.query.AskedWhen;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LayoutSpecTest {

  private static final AskedQuery QUERY =
      new AskedQuery(
          1, List.of(Map.of("a", List.of(new Values("1", "2", false, false)))), AskedWhen.UNKNOWN);

  /** Each choice is another one than the next field's, and than the default. */
  private static final LayoutSpec SPEC =
      LayoutSpec.builder()
          .columns(List.of("a", "b"))
          .weights(new double[] {1, 2})
          .curve(Curve.HILBERT)
          .build(LayoutSpec.BuildMethod.DIRECT)
          .cuts(LayoutSpec.Cuts.EQUAL)
          .fileOrder(LayoutSpec.FileOrder.ZORDER)
          .pageRows(3)
          .sampleSize(4)
          .seed(5)
          .create();

  @Test
  void aGroupThatHasWeightsOfItsOwnIsLaidOutAsAllOthersOtherwise() {
    LayoutSpec own = SPEC.withWeights(new double[] {3, 4});

    assertThat(own.weights()).containsExactly(3, 4);
    assertThat(own).usingRecursiveComparison().ignoringFields("weights").isEqualTo(SPEC);
  }

  @ParameterizedTest
  @CsvSource({
    "ZORDER, AUTO, TILES",
    "HILBERT, AUTO, HILBERT",
    "ZORDER, HILBERT, HILBERT",
    "HILBERT, TILES, TILES"
  })
  void rowsOfAFileLieInTilesUnlessTheCurveIsHilbertsOrAnOrderIsChosen(
      Curve curve, LayoutSpec.FileOrder chosen, LayoutSpec.FileOrder order) {
    LayoutSpec spec =
        LayoutSpec.builder()
            .columns(List.of("a"))
            .weights(new double[] {1})
            .curve(curve)
            .fileOrder(chosen)
            .create();

    assertThat(spec.fileOrder()).isEqualTo(order);
  }

  @ParameterizedTest
  @CsvSource({
    "ZORDER, TREE, true",
    "HILBERT, TREE, true",
    "LINEAR, TREE, false",
    "ZORDER, EQUAL, false",
    "HILBERT, EQUAL, false"
  })
  void aTreeAloneIsCutForQueries(Curve curve, LayoutSpec.Cuts cuts, boolean isCut) {
    LayoutSpec spec = spec(curve, cuts);

    assertThat(spec.queries()).isEqualTo(isCut ? List.of(QUERY) : List.of());
  }

  @Test
  void aLayoutWithoutItsQueriesIsTheSameOtherwise() {
    LayoutSpec all = spec(Curve.ZORDER, LayoutSpec.Cuts.TREE);

    LayoutSpec own = all.withoutQueries();

    assertThat(own.queries()).isEmpty();
    assertThat(own).usingRecursiveComparison().ignoringFields("queries").isEqualTo(all);
  }

  private static LayoutSpec spec(Curve curve, LayoutSpec.Cuts cuts) {
    return LayoutSpec.builder()
        .columns(List.of("a"))
        .weights(new double[] {1})
        .queries(List.of(QUERY))
        .curve(curve)
        .fileOrder(LayoutSpec.FileOrder.AUTO)
        .cuts(cuts)
        .create();
  }
}
