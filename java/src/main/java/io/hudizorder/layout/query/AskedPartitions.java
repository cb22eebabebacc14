package io.hudizorder.layout.query;

import io.hudizorder.layout.query.AskedQuery.Values;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/** The partitions that a query asks for, a part of the times that it is asked. */
public final class AskedPartitions implements Serializable {
  private static final long serialVersionUID = 1L;

  private final double share;
  private final List<Map<String, List<Values>>> conditions;

  /**
   * @param share of the query's weight, above 0
   * @param conditions on partition columns, of each box or of all: a partition of which they cannot
   *     be true has no row of the box
   */
  public AskedPartitions(double share, List<Map<String, List<Values>>> conditions) {
    this.share = share;
    this.conditions = conditions;
  }

  double share() {
    return share;
  }

  /** Those of a box. */
  Map<String, List<Values>> conditions(int box) {
    return conditions.get(conditions.size() == 1 ? 0 : box);
  }

  /** Those of each box, or the only ones of all. */
  public List<Map<String, List<Values>>> conditions() {
    return conditions;
  }

  @Override
  public String toString() {
    return share + " " + conditions;
  }
}
