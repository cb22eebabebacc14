package io.hudizorder.spark;

import java.util.Map;
import org.apache.spark.package$;
import scala.util.Properties;

/** The engine on the class path, and the room of this jar that calls it. */
public final class SparkRelease {

  /** Of lines of Spark, the one whose calls they know. */
  private static final Map<String, String> LINES =
      Map.of("3.5.", "3_5", "4.0.", "4_0", "4.1.", "4_0");

  /** Looked up once: it is asked for every file. */
  private static volatile SparkCalls calls;

  private SparkRelease() {}

  /**
   * Refuses an engine whose internal classes may differ.
   *
   * @throws IllegalArgumentException naming the release found and the one needed
   */
  public static void requireSupported() {
    require(package$.MODULE$.SPARK_VERSION(), Properties.versionNumberString());
  }

  /** The binary version of the Scala on the class path, such as 2.12. */
  public static String scala() {
    return binary(Properties.versionNumberString());
  }

  static SparkCalls calls() {
    SparkCalls found = calls;
    if (found == null) {
      String room = require(package$.MODULE$.SPARK_VERSION(), Properties.versionNumberString());
      try {
        found = (SparkCalls) Class.forName(room).getDeclaredConstructor().newInstance();
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("Cannot call Spark", e);
      }
      calls = found;
    }
    return found;
  }

  /** The class of a room. */
  static String require(String spark, String scala) {
    return LINES.keySet().stream()
        .filter(spark::startsWith)
        .map(line -> room(line, binary(scala)))
        .filter(SparkRelease::isBuilt)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(refusal(spark, scala)));
  }

  private static String refusal(String spark, String scala) {
    String rooms = isBuilt(room("3.5.", "2.13")) ? "2.12.x or 2.13.x" : "2.12.x";
    return String.format(
        "Cannot cluster: this is Spark %s with Scala %s, and this jar was built for Spark 3.5.x with"
            + " Scala %s; run it there (pip install 'pyspark==3.5.*')%s",
        spark,
        scala,
        rooms,
        spark.startsWith("3.5.") && binary(scala).equals("2.13")
            ? ", or use a jar of 'make dist', which has the room of Scala 2.13"
            : "");
  }

  private static String room(String line, String scala) {
    return String.format(
        "%s.scala%s.SparkCallsOf%s",
        SparkRelease.class.getPackageName(), scala.replace('.', '_'), LINES.get(line));
  }

  private static boolean isBuilt(String room) {
    return SparkRelease.class.getResource("/" + room.replace('.', '/') + ".class") != null;
  }

  private static String binary(String version) {
    return version.substring(0, Math.max(0, version.lastIndexOf('.')));
  }
}
