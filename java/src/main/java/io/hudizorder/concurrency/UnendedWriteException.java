package io.hudizorder.concurrency;

/** A write has not ended in time, of which nobody can say what it changes. */
final class UnendedWriteException extends ConcurrentWriteException {

  private static final long serialVersionUID = 1L;

  UnendedWriteException(String message) {
    super(message);
  }

  @Override
  UnendedWriteException told(String message) {
    return new UnendedWriteException(message);
  }
}
