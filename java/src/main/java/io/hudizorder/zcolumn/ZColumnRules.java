package io.hudizorder.zcolumn;

import io.hudizorder.hudi.HudiRelease;
import org.apache.spark.sql.SparkSessionExtensions;

/** The rules by which a session keeps z-columns true and asks them. */
public final class ZColumnRules {

  private ZColumnRules() {}

  /** Makes them rules of every session that the extensions apply to. */
  public static void inject(SparkSessionExtensions extensions) {
    if (HudiRelease.keepsZColumns()) {
      extensions.injectPostHocResolutionRule(WriteRule::new);
    } else {
      extensions.injectPostHocResolutionRule(RefusalRule::new);
    }
    if (HudiRelease.asksZColumns()) {
      // After filters were pushed down to the tables, and once.
      extensions.injectPreCBORule(ReadRule::new);
    }
  }
}
