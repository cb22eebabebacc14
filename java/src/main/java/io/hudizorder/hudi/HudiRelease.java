package io.hudizorder.hudi;

import io.hudizorder.spark.SparkRelease;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.common.table.HoodieTableMetaClient;

/** The version of Hudi on the class path, and the room of this jar that calls it. */
public final class HudiRelease {

  private static final String UNKNOWN = "of an unknown version";

  /** Lines of versions with the newest release that this jar was tried with, the newest first. */
  enum Line {
    V1_2("1.2.0", "2.12"),
    V1_1("1.1.1", "2.12", "2.13"),
    V1_0("1.0.2", "2.12"),
    V0_15("0.15.0", "2.12");

    private final String release;

    /** Those that its bundle for Spark 3.5 was released for. */
    private final List<String> scalas;

    Line(String release, String... scalas) {
      this.release = release;
      this.scalas = List.of(scalas);
    }

    private boolean has(String version) {
      return version.startsWith(release.substring(0, release.lastIndexOf('.') + 1));
    }

    private String room() {
      String room = HudiRelease.class.getPackageName() + "." + name().toLowerCase();
      return room + ".HudiCallsOf" + name().substring(1);
    }
  }

  /** Looked up once: it is asked for every row. */
  private static volatile HudiCalls calls;

  private HudiRelease() {}

  /**
   * Refuses a Spark, a Scala or a Hudi that this jar does not fit.
   *
   * @throws IllegalArgumentException with what was found, what fits, and its coordinates
   */
  public static void requireSupported() {
    SparkRelease.requireSupported();
    requireScala(bundleScala(), SparkRelease.scala());
    require(version(), SparkRelease.scala());
  }

  /** The version of the Hudi on the class path, as its own jar tells; called from Python. */
  public static String version() {
    String properties = "/META-INF/maven/org.apache.hudi/hudi-common/pom.properties";
    try (InputStream in = HoodieTableMetaClient.class.getResourceAsStream(properties)) {
      Properties found = new Properties();
      if (in != null) {
        found.load(in);
      }
      String told = HoodieTableMetaClient.class.getPackage().getImplementationVersion();
      return found.getProperty("version", told == null ? UNKNOWN : told);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read which version of Hudi this is", e);
    }
  }

  /** Whether its writers give anybody a say in a commit, which alone keeps a z-column true. */
  public static boolean keepsZColumns() {
    return Line.V1_2.has(version());
  }

  /** Whether queries ask z-columns: held to the snapshot that one was asked of, in Scala 2.12. */
  public static boolean asksZColumns() {
    // The rule and its file index are written for the Seq of 2.12, and no Hudi of 2.13 keeps them.
    return !Line.V0_15.has(version()) && SparkRelease.scala().equals("2.12");
  }

  /**
   * Refuses to write a z-column where it would not be kept true.
   *
   * @throws IllegalArgumentException with what was found and what fits
   */
  public static void requireZColumns() {
    if (!keepsZColumns()) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot write to Hudi: this is Hudi %s, by which no z-column can be kept true; use"
                  + " %s, or a table without one",
              version(), coordinates(Line.V1_2, "2.12")));
    }
  }

  static HudiCalls calls() {
    HudiCalls found = calls;
    if (found == null) {
      requireSupported();
      found = calls(version());
      calls = found;
    }
    return found;
  }

  private static HudiCalls calls(String version) {
    Line line = require(version, SparkRelease.scala());
    try {
      return (HudiCalls) Class.forName(line.room()).getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Cannot call Hudi " + version, e);
    }
  }

  /** The Scala that the Hudi on the class path is for, as its own jar tells. */
  private static String bundleScala() {
    return Stream.of("2.12", "2.13")
        .filter(
            scala ->
                HoodieTableMetaClient.class.getResource(
                        "/META-INF/maven/org.apache.hudi/hudi-spark-common_"
                            + scala
                            + "/pom.properties")
                    != null)
        .findFirst()
        .orElse(SparkRelease.scala());
  }

  static void requireScala(String ofHudi, String ofSpark) {
    if (!ofHudi.equals(ofSpark)) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot cluster: this is a Hudi for Scala %s, and a Spark with Scala %s; use %s",
              ofHudi, ofSpark, newest(ofSpark)));
    }
  }

  static Line require(String version, String scala) {
    List<Line> ofScala =
        Stream.of(Line.values())
            .filter(line -> line.scalas.contains(scala))
            .collect(Collectors.toList());
    Optional<Line> fitting = ofScala.stream().filter(line -> line.has(version)).findFirst();
    List<Line> built = ofScala.stream().filter(HudiRelease::isBuilt).collect(Collectors.toList());
    return fitting
        .filter(built::contains)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    String.format(
                        "Cannot cluster: this is Hudi %s, and %s; use %s",
                        version,
                        fitting.isPresent()
                            ? "this jar was built without its room, which a jar of 'make dist' has"
                            : "hudi-zorder knows Hudi "
                                + built.stream()
                                    .map(line -> line.release)
                                    .collect(Collectors.joining(", "))
                                + " for Scala "
                                + scala,
                        newest(scala))));
  }

  /** The coordinates of the newest Hudi for a Scala. */
  private static String newest(String scala) {
    return Stream.of(Line.values())
        .filter(line -> line.scalas.contains(scala))
        .findFirst()
        .map(line -> coordinates(line, scala))
        .orElseGet(() -> coordinates(Line.V1_2, "2.12"));
  }

  private static String coordinates(Line line, String scala) {
    return String.format("org.apache.hudi:hudi-spark3.5-bundle_%s:%s", scala, line.release);
  }

  private static boolean isBuilt(Line line) {
    String file = "/" + line.room().replace('.', '/') + ".class";
    return HudiRelease.class.getResource(file) != null;
  }
}
