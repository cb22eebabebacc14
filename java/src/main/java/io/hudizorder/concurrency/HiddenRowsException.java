package io.hudizorder.concurrency;

import org.apache.hudi.exception.HoodieClusteringException;

/**
 * A committed clustering hides rows that somebody else has written, or shows rows that somebody
 * else has replaced, and cannot be rolled back, as later writes have built on it; or could not be,
 * for the reason that is its cause.
 */
public final class HiddenRowsException extends HoodieClusteringException {

  private static final long serialVersionUID = 1L;

  HiddenRowsException(String message) {
    super(message);
  }

  HiddenRowsException(String message, Throwable cause) {
    super(message, cause);
  }
}
