package io.hudizorder.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Values of one type in ascending order, in steps: the values of one step share a word, and no
 * others do. Null, whose word is 0, comes before all of them.
 */
final class Ascending<T> {

  private final String type;
  private final ToLongFunction<T> word;
  private final Comparator<T> order;
  private final Function<T, String> text;
  private final List<Entry<T>> entries = new ArrayList<>();
  private int steps;

  private Ascending(
      String type, ToLongFunction<T> word, Comparator<T> order, Function<T, String> text) {
    this.type = type;
    this.word = word;
    this.order = order;
    this.text = text;
  }

  /** An empty list; the order is the one that the words must follow. */
  static <T> Ascending<T> of(String type, ToLongFunction<T> word, Comparator<T> order) {
    return of(type, word, order, String::valueOf);
  }

  static <T> Ascending<T> of(
      String type, ToLongFunction<T> word, Comparator<T> order, Function<T, String> text) {
    return new Ascending<>(type, word, order, text);
  }

  /** The next step: one value, or several that share a word, these too in ascending order. */
  @SafeVarargs
  final Ascending<T> then(T... sharing) {
    steps++;
    for (T value : sharing) {
      entries.add(new Entry<>(steps, value, word.applyAsLong(value), text.apply(value)));
    }
    return this;
  }

  /** The next steps, each of one value. */
  @SafeVarargs
  final Ascending<T> thenEach(T... values) {
    for (T value : values) {
      then(value);
    }
    return this;
  }

  /** Compares every pair: the sign of the words' order is the sign of the distance in steps. */
  void assertWordsFollow() {
    for (Entry<T> a : entries) {
      assertThat(a.word).as("%s: the word of %s is above null's", type, a).isNotEqualTo(Words.NULL);
      for (Entry<T> b : entries) {
        assertThat(Integer.signum(Long.compareUnsigned(a.word, b.word)))
            .as("%s: order of the words of %s and %s", type, a, b)
            .isEqualTo(Integer.compare(a.step, b.step));
        if (entries.indexOf(a) < entries.indexOf(b)) {
          assertThat(order.compare(a.value, b.value))
              .as("%s: this test lists %s before %s", type, a, b)
              .isLessThanOrEqualTo(a.step == b.step ? 0 : -1);
        }
      }
    }
  }

  private static final class Entry<T> {
    private final int step;
    private final T value;
    private final long word;
    private final String text;

    private Entry(int step, T value, long word, String text) {
      this.step = step;
      this.value = value;
      this.word = word;
      this.text = text;
    }

    @Override
    public String toString() {
      return String.format("%s (word %016x)", text, word);
    }
  }
}
