package io.hudizorder;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Which cases of a test {@code make test} runs; the others are of a test that is tagged slow, which
 * {@code make test-all} runs besides.
 */
final class QuickCases {

  private QuickCases() {}

  /** Every so many of them, from the first one on. */
  static <T> List<T> every(int step, List<T> cases) {
    return chosen(step, true, cases);
  }

  /** The others. */
  static <T> List<T> others(int step, List<T> cases) {
    return chosen(step, false, cases);
  }

  private static <T> List<T> chosen(int step, boolean quick, List<T> cases) {
    return IntStream.range(0, cases.size())
        .filter(at -> (at % step == 0) == quick)
        .mapToObj(cases::get)
        .collect(Collectors.toList());
  }
}
