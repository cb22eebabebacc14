package io.hudizorder.spark;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** The remedy part of an error about a name: the nearest valid one, and all that are valid. */
public final class Suggestion {

  private static final int LISTED = 12;

  private Suggestion() {}

  /** For example {@code did you mean 'distance'? Valid are: carrier, dest, distance}. */
  public static String among(Collection<String> valid, String given) {
    String nearest =
        valid.stream().min(Comparator.comparingInt(name -> distance(name, given))).orElse(null);
    String listed = String.join(", ", valid.stream().limit(LISTED).toArray(String[]::new));
    String all = valid.size() > LISTED ? listed + ", ... (" + valid.size() + " in all)" : listed;
    boolean near = nearest != null && distance(nearest, given) <= Math.max(2, given.length() / 3);
    return near ? "did you mean '" + nearest + "'? Valid are: " + all : "valid are: " + all;
  }

  private static int distance(String left, String right) {
    return LevenshteinDistance.getDefaultInstance()
        .apply(left.toLowerCase(Locale.ROOT), right.toLowerCase(Locale.ROOT));
  }
}
