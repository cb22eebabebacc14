package io.hudizorder.hudi;

import java.util.List;
import java.util.Properties;

/**
 * How Hudi measures objects, for maps that may have to go to disk: the first time, a library of its
 * (JOL) starts two more JVMs that look into this one, which takes seconds and mostly fails; then it
 * reckons with what is known of such JVMs, as it does with this at once.
 */
public final class ObjectSizes {

  private static final List<String> LOOKS =
      List.of("jol.skipHotspotSAAttach", "jol.skipDynamicAttach", "jol.skipInstallAttach");

  private ObjectSizes() {}

  /** Has objects of this JVM be reckoned, unless somebody has said whether to look into it. */
  public static void reckon() {
    reckon(System.getProperties());
  }

  static void reckon(Properties system) {
    LOOKS.forEach(look -> system.putIfAbsent(look, "true"));
  }
}
