package io.hudizorder.layout.rank;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.layout.split.NumberedColumn;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CountingSortTest {
  @Test
  void numbersAscendHoweverFarApartTheyLie() {
    Random random = new Random(1);
    for (int bound : new int[] {1, 2, 100, 4_000, 5_000, Integer.MAX_VALUE}) {
      int[] numbers = random.ints(1_000, NumberedColumn.NULL, bound).toArray();
      int[] sorted = numbers.clone();
      CountingSort.sort(sorted);
      assertThat(sorted).containsExactly(IntStream.of(numbers).sorted().toArray());
    }
  }

  @Test
  void noNumbersAndTheFarthestEndsAreSorted() {
    CountingSort.sort(new int[0]);
    int[] ends = {Integer.MAX_VALUE, NumberedColumn.NULL, Integer.MIN_VALUE};
    CountingSort.sort(ends);
    assertThat(ends).containsExactly(Integer.MIN_VALUE, NumberedColumn.NULL, Integer.MAX_VALUE);
  }
}
