package io.hudizorder.layout.split;

/**
 * How far from the mean the files of a side of a cut may be: so far that in the whole table, of
 * which only some rows are sampled, they will hold 0.7 to 1.4 times of it.
 */
public final class FileFill {
  private static final double LEAST = 0.7;
  private static final double MOST = 1.4;

  /** How many standard deviations are left to chance: those of the fewest of all files. */
  private static final double DEVIATIONS = 3.5;

  /** Somewhat uneven cuts are allowed however small the sample. */
  private static final double ALWAYS = 1.05;

  private final double least;
  private final double most;

  /**
   * @param rowsPerFile of the sample
   */
  public FileFill(double rowsPerFile) {
    least = Math.min(1 / ALWAYS, LEAST * (1 + DEVIATIONS / Math.sqrt(LEAST * rowsPerFile)));
    most = Math.max(ALWAYS, MOST * (1 - DEVIATIONS / Math.sqrt(MOST * rowsPerFile)));
  }

  /** Whether so many files of so many rows, together, are as full as that. */
  public boolean allows(int files, double rows, double rowsPerFile) {
    double fill = rows / (files * rowsPerFile);
    return fill >= least && fill <= most;
  }
}
