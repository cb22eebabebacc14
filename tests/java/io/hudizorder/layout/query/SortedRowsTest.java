package io.hudizorder.layout.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.layout.split.NumberedColumn;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SortedRowsTest {
  private static final int ROWS = 70_000;

  @ParameterizedTest(name = "{0} values")
  @ValueSource(ints = {1, 2, 200, 300, 70_000})
  void rowsAscendByTheirNumbersWithNullsFirst(int values) {
    long[] words = new Random(1).longs(ROWS, 0, values + 1).toArray();
    NumberedColumn column = NumberedColumn.all(new long[][] {words})[0];
    int[] rows = IntStream.range(0, ROWS).toArray();
    for (int from : new int[] {0, 100, ROWS - 10, ROWS - 1}) {
      SortedRows sorted = new SortedRows(column, rows, from, ROWS);

      assertThat(sorted.rows)
          .isEqualTo(
              IntStream.range(from, ROWS)
                  .boxed()
                  .sorted(Comparator.comparingInt(column::number))
                  .mapToInt(row -> row)
                  .toArray());
      int last = sorted.number(sorted.size() - 1);
      assertThat(last).isEqualTo(column.number(sorted.rows[sorted.size() - 1]));
      assertThat(sorted.below(last))
          .isEqualTo(
              (int) IntStream.range(from, ROWS).filter(r -> column.number(r) < last).count());
    }
  }
}
