package io.hudizorder.layout;

import io.hudizorder.layout.query.Query;
import io.hudizorder.layout.tree.FileCuts;
import io.hudizorder.layout.tree.SplitTree;
import java.io.Serializable;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** Which file each row goes to, and where it lies inside that file. */
public final class Layout implements Serializable {
  private static final long serialVersionUID = 1L;

  private final FileCuts cuts;
  private final RowOrder order;

  public Layout(FileCuts cuts, RowOrder order) {
    this.cuts = cuts;
    this.order = order;
  }

  /**
   * Cuts rows into files and orders them inside.
   *
   * @param words of sampled rows, the tie-breaker last
   * @param queries in these words
   * @param rows about how many rows there are
   */
  public static Layout learn(
      LayoutSpec spec, long[][] words, List<Query> queries, double rows, int files) {
    if (!spec.splits()) {
      return new Layout(equalCuts(spec, words, files), CurveOrder.of(spec.curve()));
    }
    SplitTree tree = tree(spec, words, queries, files);
    double pages = rows / tree.files() / spec.pageRows();
    return new Layout(tree, order(spec, tree, words, pages));
  }

  /** Cuts the words of sampled rows, the tie-breaker last, into files. */
  public static FileCuts cut(LayoutSpec spec, long[][] words, List<Query> queries, int files) {
    return spec.splits() ? tree(spec, words, queries, files) : equalCuts(spec, words, files);
  }

  private static EqualCuts equalCuts(LayoutSpec spec, long[][] words, int files) {
    return EqualCuts.build(words, words.length - 1, spec.curve(), files);
  }

  private static SplitTree tree(LayoutSpec spec, long[][] words, List<Query> queries, int files) {
    // The tie-breaker weighs nothing: it is split only where no sort column can be.
    double[] weights = Arrays.copyOf(spec.weights(), words.length);
    BitSet askedElsewhere = new BitSet();
    for (int c = 0; c < spec.columns().size(); c++) {
      askedElsewhere.set(c, spec.askedElsewhere().contains(spec.columns().get(c)));
    }
    return SplitTree.build(words, weights, files, queries, askedElsewhere);
  }

  private static RowOrder order(LayoutSpec spec, SplitTree tree, long[][] words, double pages) {
    switch (spec.fileOrder()) {
      case ZORDER:
        return CurveOrder.within(tree, Curve.ZORDER);
      case HILBERT:
        return CurveOrder.within(tree, Curve.HILBERT);
      case TILES:
        return PageTiles.learn(tree, words, spec.weights(), pages);
      default:
        throw new IllegalStateException("No order of rows is called " + spec.fileOrder());
    }
  }

  public FileCuts cuts() {
    return cuts;
  }

  public RowOrder order() {
    return order;
  }
}
