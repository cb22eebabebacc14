package io.hudizorder.layout;

/** How a tree is cut for queries, and how much it heeds what nobody has asked. */
final class QueryBlend {
  private final boolean farSighted;
  private final double[] equality;

  /**
   * @param farSighted whether cuts are judged by what they lead to, rather than by what they gain
   *     at once
   * @param equality by column, what an equality with any of its values weighs beside the queries
   */
  QueryBlend(boolean farSighted, double[] equality) {
    this.farSighted = farSighted;
    this.equality = equality.clone();
  }

  boolean farSighted() {
    return farSighted;
  }

  double[] equality() {
    return equality.clone();
  }
}
