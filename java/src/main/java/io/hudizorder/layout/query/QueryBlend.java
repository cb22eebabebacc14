package io.hudizorder.layout.query;

/** How a tree is cut for queries, and how much it heeds what nobody has asked. */
public final class QueryBlend {
  private final boolean varied;
  private final double[] equality;

  /**
   * @param varied whether cuts are judged by queries as they may be asked next, too ({@link
   *     QueryVariations})
   * @param equality by column, what an equality with any of its values weighs beside the queries
   */
  public QueryBlend(boolean varied, double[] equality) {
    this.varied = varied;
    this.equality = equality.clone();
  }

  /** The same with other equalities beside the queries. */
  public QueryBlend with(double[] equalities) {
    return new QueryBlend(varied, equalities);
  }

  /** Whether queries as they may be asked next have a say, too. */
  public boolean varied() {
    return varied;
  }

  double[] equality() {
    return equality.clone();
  }
}
