package io.hudizorder.key;

/** Consecutive z-values, from the first to the last, both inside. */
public final class ZRange {

  private final byte[] first;
  private final byte[] last;

  ZRange(byte[] first, byte[] last) {
    this.first = first;
    this.last = last;
  }

  public byte[] first() {
    return first.clone();
  }

  public byte[] last() {
    return last.clone();
  }
}
