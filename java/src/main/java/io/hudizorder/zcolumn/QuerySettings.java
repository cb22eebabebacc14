package io.hudizorder.zcolumn;

import org.apache.spark.sql.internal.SQLConf;

/** The session's settings of queries. */
final class QuerySettings {

  /** Whether z-ranges are added to queries; {@code true} unless set. */
  static final String ENABLED = "spark.hudizorder.zcolumn.enabled";

  /** The most ranges that are added to one predicate. */
  static final String RANGES = "spark.hudizorder.zcolumn.ranges";

  private static final int DEFAULT_RANGES = 16;

  private QuerySettings() {}

  static int ranges(SQLConf conf) {
    String text = conf.getConfString(RANGES, Integer.toString(DEFAULT_RANGES));
    if (!text.matches("[1-9][0-9]{0,2}")) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot ask a z-column: '%s' was '%s'; set it to a number from 1 to 999",
              RANGES, text));
    }
    return Integer.parseInt(text);
  }
}
