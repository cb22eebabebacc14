package io.hudizorder.spark.zcolumn;

import org.apache.spark.util.AccumulatorV2;

/**
 * The bounds of the z-values that tasks compute, known on the driver as soon as the tasks are done.
 * A task that is run again adds the same once more, or rows that come to nothing: bounds may be
 * wider than what is written, and never narrower.
 */
public final class BoundsAccumulator extends AccumulatorV2<byte[], WordBounds> {

  private static final long serialVersionUID = 1L;

  private WordBounds bounds;

  public BoundsAccumulator(int columns) {
    this(new WordBounds(columns));
  }

  private BoundsAccumulator(WordBounds bounds) {
    this.bounds = bounds;
  }

  /** Adds a row's z-value and returns it; called from generated code. */
  public byte[] pass(byte[] zValue) {
    add(zValue);
    return zValue;
  }

  @Override
  public void add(byte[] zValue) {
    bounds.add(zValue);
  }

  @Override
  public boolean isZero() {
    return bounds.ofNoRows();
  }

  @Override
  public AccumulatorV2<byte[], WordBounds> copy() {
    return new BoundsAccumulator(bounds.copy());
  }

  @Override
  public void reset() {
    bounds = new WordBounds(bounds.columns());
  }

  @Override
  public void merge(AccumulatorV2<byte[], WordBounds> other) {
    bounds = bounds.union(other.value());
  }

  @Override
  public WordBounds value() {
    return bounds;
  }
}
