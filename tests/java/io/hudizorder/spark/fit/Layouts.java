package io.hudizorder.spark.fit;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.LayoutSpec;
import java.util.Arrays;
import java.util.List;

/** What tests ask of a layout: split trees by rank, all columns of one weight. */
final class Layouts {

  private Layouts() {}

  static LayoutSpec spec(List<String> columns, long sampleSize) {
    double[] weights = new double[columns.size()];
    Arrays.fill(weights, 1);
    return LayoutSpec.builder()
        .columns(columns)
        .weights(weights)
        .curve(Curve.ZORDER)
        .build(LayoutSpec.BuildMethod.SAMPLE)
        .cuts(LayoutSpec.Cuts.TREE)
        .fileOrder(LayoutSpec.FileOrder.AUTO)
        .pageRows(20_000)
        .sampleSize(sampleSize)
        .seed(7)
        .create();
  }
}
