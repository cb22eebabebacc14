package io.hudizorder.spark.sample;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A sample of bounded weight of a stream whose length nobody knows: adaptive sampling, M. Wegman's
 * as analysed in P. Flajolet, "On adaptive sampling", Computing 43 (1990).
 *
 * <p>Kept are the items whose hash begins with at least {@link #level()} zero bits, a share of
 * 2^-level of all; when they outweigh the capacity, the level rises by one. Samples of parts merge
 * into the sample of the whole, the same one however the parts were cut and in whatever order they
 * come, save for the order of its items.
 *
 * <p>An item may be worth more than others: each point of its boost counts for one more zero bit,
 * so that it is kept with twice the chance.
 */
final class AdaptiveSample<T> implements Serializable {

  private static final long serialVersionUID = 1L;

  /** The zeros of a hash and the greatest boost, that of the size of something in memory. */
  private static final int TOP = Long.SIZE + Long.SIZE;

  private final long capacity;

  /** Kept items by the zero bits their hash begins with: one level is dropped as a whole. */
  private final List<ArrayList<T>> items;

  private final long[] weights = new long[TOP + 1];
  private long weight;
  private int level;

  /**
   * @param capacity the weight not to exceed, save by items whose hashes are all zero
   */
  AdaptiveSample(long capacity) {
    this.capacity = capacity;
    this.items =
        IntStream.rangeClosed(0, TOP)
            .mapToObj(zeros -> new ArrayList<T>(0))
            .collect(Collectors.toCollection(ArrayList::new));
  }

  /** How many zero bits a signed hash begins with once its order is that of unsigned numbers. */
  static int zeros(long hash) {
    return Long.numberOfLeadingZeros(hash ^ Long.MIN_VALUE);
  }

  /** Whether an item of this hash would be kept. */
  boolean wants(long hash, int boost) {
    return zeros(hash) + boost >= level;
  }

  /** Adds an item that {@link #wants} wanted. */
  void add(long hash, int boost, long itemWeight, T item) {
    int zeros = zeros(hash) + boost;
    items.get(zeros).add(item);
    weights[zeros] += itemWeight;
    weight += itemWeight;
    shrink();
  }

  /** Takes over what the sample of another part of the stream has kept. */
  AdaptiveSample<T> merge(AdaptiveSample<T> other) {
    while (level < other.level) {
      raise();
    }
    for (int zeros = level; zeros <= TOP; zeros++) {
      items.get(zeros).addAll(other.items.get(zeros));
      weights[zeros] += other.weights[zeros];
      weight += other.weights[zeros];
    }
    shrink();
    return this;
  }

  private void shrink() {
    while (weight > capacity && level < TOP) {
      raise();
    }
  }

  private void raise() {
    items.set(level, new ArrayList<>(0));
    weight -= weights[level];
    weights[level] = 0;
    level++;
  }

  /** Of items without boost, one in 2^level is kept. */
  int level() {
    return level;
  }

  /** The kept items, in no particular order. */
  List<T> items() {
    return items.stream().flatMap(List::stream).collect(Collectors.toList());
  }
}
