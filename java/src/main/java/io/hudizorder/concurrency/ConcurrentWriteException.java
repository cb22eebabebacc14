package io.hudizorder.concurrency;

import org.apache.hudi.exception.HoodieClusteringException;

/**
 * A clustering has given way to somebody who wrote to what it was to replace; the table is as that
 * writer left it. To cluster again is safe, and likely to succeed.
 */
public class ConcurrentWriteException extends HoodieClusteringException {

  private static final long serialVersionUID = 1L;

  ConcurrentWriteException(String message) {
    super(message);
  }

  ConcurrentWriteException(String message, Throwable cause) {
    super(message, cause);
  }

  /** The same, with what has become of the clustering. */
  ConcurrentWriteException told(String message) {
    return new ConcurrentWriteException(message);
  }
}
