package io.hudizorder.hudi;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** A list by consecutive parts, each as long as there is room in it. */
public final class InParts {

  private InParts() {}

  /**
   * The parts, in order.
   *
   * @param size of an item
   * @param most the size of a part, but of one whose only item is larger
   */
  public static <T> List<List<T>> of(List<T> items, ToLongFunction<T> size, long most) {
    List<List<T>> parts = new ArrayList<>();
    long room = 0;
    for (T item : items) {
      long needed = size.applyAsLong(item);
      if (needed > room) {
        parts.add(new ArrayList<>());
        room = most;
      }
      parts.get(parts.size() - 1).add(item);
      room -= needed;
    }
    return parts;
  }
}
