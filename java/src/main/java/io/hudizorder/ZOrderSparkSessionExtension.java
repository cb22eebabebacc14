package io.hudizorder;

import io.hudizorder.hudi.HudiRelease;
import io.hudizorder.spark.SparkRelease;
import io.hudizorder.spark.expression.SqlFunctions;
import io.hudizorder.zcolumn.ZColumnRules;
import org.apache.spark.sql.SparkSessionExtensions;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * What {@code spark.sql.extensions} names, alone or beside Hudi's own: the functions {@code
 * zorder_value}, {@code hilbert_value}, {@code zorder_words} and {@code zorder_compare} in SQL, and
 * the rules by which z-columns are kept true and asked.
 */
public final class ZOrderSparkSessionExtension
    extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {

  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    SparkRelease.requireSupported();
    SqlFunctions.inject(extensions);
    if (hasHudi()) {
      HudiRelease.requireSupported();
      ZColumnRules.inject(extensions);
    }
    return BoxedUnit.UNIT;
  }

  /**
   * The functions need no Hudi, and a session without it has no table with a z-column. No class of
   * it is loaded: of another Scala, none could be, and Spark would go on without this extension.
   */
  private static boolean hasHudi() {
    return Thread.currentThread()
            .getContextClassLoader()
            .getResource("org/apache/hudi/DefaultSource.class")
        != null;
  }
}
