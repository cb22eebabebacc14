package io.hudizorder.concurrency;

/** A write has not ended while it was waited for, of which nobody can say what it changes. */
final class UnendedWriteException extends ConcurrentWriteException {

  private static final long serialVersionUID = 1L;

  UnendedWriteException(String message) {
    super(message);
  }

  UnendedWriteException(String message, Throwable cause) {
    super(message, cause);
  }

  @Override
  UnendedWriteException told(String message) {
    return new UnendedWriteException(message);
  }
}
