package io.hudizorder.layout;

import io.hudizorder.layout.tree.SplitTree;
import java.util.Arrays;

/** Rows along a curve: that of the whole table, or one stretched to the box of each file. */
public final class CurveOrder implements RowOrder {
  private static final long serialVersionUID = 1L;

  private final Curve curve;

  /** Whose boxes the curve is stretched to; null where it runs through the whole table. */
  private final SplitTree tree;

  private CurveOrder(Curve curve, SplitTree tree) {
    this.curve = curve;
    this.tree = tree;
  }

  /** The order of files that are stretches of the curve. */
  public static CurveOrder of(Curve curve) {
    return new CurveOrder(curve, null);
  }

  /**
   * The order of files that are the leaves of a tree: the curve sees the whole of a leaf's box and
   * nothing else.
   */
  public static CurveOrder within(SplitTree tree, Curve curve) {
    return new CurveOrder(curve, tree);
  }

  @Override
  public long place(int file, long[] words) {
    long[] place = withoutTie(words);
    if (tree != null) {
      tree.leafStretch().stretch(file, place);
    }
    return curve.leadingBits(place, PLACE_BITS);
  }

  /** Along the curve as it is: stretching keeps but the leading bits of a word. */
  @Override
  public byte[] key(int file, long[] words) {
    return curve.key(withoutTie(words));
  }

  private static long[] withoutTie(long[] words) {
    return Arrays.copyOf(words, words.length - 1);
  }
}
