package io.hudizorder.option;

import java.util.Arrays;
import java.util.Map;

/**
 * The version of this library that a plan is of, kept among its parameters. Versions of one line
 * mean the same by them, and pass over what a later one adds: until 1.0 a line is a minor version,
 * from then on a major one.
 */
public final class PlanVersion {

  /** The parameter; no option, for nobody chooses it. */
  public static final String KEY = "hudizorder.version";

  /** That of this library; a test holds it to {@code pom.xml}. */
  public static final String OURS = "0.1.0";

  private PlanVersion() {}

  /** Whether a plan is of this line, or does not say which version has made it. */
  public static boolean isExecutable(Map<String, String> parameters) {
    String version = parameters.get(KEY);
    return version == null || line(version).equals(line(OURS));
  }

  /**
   * Refuses a plan of another line: what it says may mean something else by now.
   *
   * @throws IllegalArgumentException with both versions and the remedy
   */
  public static void require(Map<String, String> parameters) {
    if (!isExecutable(parameters)) {
      String version = parameters.get(KEY);
      throw new IllegalArgumentException(
          String.format(
              "Cannot cluster: this is hudi-zorder %s, and '%s' of the plan was '%s'; execute it"
                  + " with hudi-zorder %s, or cancel it and plan anew",
              OURS, KEY, version, line(version)));
    }
  }

  private static String line(String version) {
    String[] parts = version.split("\\.");
    int numbers = parts[0].equals("0") ? 2 : 1;
    return String.join(".", Arrays.asList(parts).subList(0, Math.min(numbers, parts.length)));
  }
}
