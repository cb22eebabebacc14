package io.hudizorder.concurrency;

import org.apache.hudi.exception.HoodieClusteringException;

/**
 * A committed clustering hides rows that somebody else has written, or shows rows that somebody
 * else has replaced, and cannot be rolled back, as later writes have built on it; or could not be,
 * and is tried again.
 */
public final class HiddenRowsException extends HoodieClusteringException {

  private static final long serialVersionUID = 1L;

  private final boolean triedAgain;

  /** That nothing but a restore shows the rows. */
  HiddenRowsException(String message) {
    super(message);
    this.triedAgain = false;
  }

  /** That the clustering could not be rolled back this time, and why. */
  HiddenRowsException(String message, Throwable cause) {
    super(message, cause);
    this.triedAgain = true;
  }

  /** Whether who looks once more may roll the clustering back. */
  boolean isTriedAgain() {
    return triedAgain;
  }
}
