package io.hudizorder.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowCountsTest {

  private static void drain(Iterator<?> rows) {
    while (rows.hasNext()) {
      rows.next();
    }
  }

  @Test
  void rowsOfPartitionsAreSummed() {
    RowCounts counts = new RowCounts();
    drain(counts.counting(0, List.of("a", "b").iterator()));
    drain(counts.counting(1, List.of("c").iterator()));

    assertThat(counts.total()).isEqualTo(3);
  }

  @Test
  void aTaskThatRunsTwiceIsCountedOnce() {
    RowCounts driver = new RowCounts();
    for (int attempt = 0; attempt < 2; attempt++) {
      RowCounts task = new RowCounts();
      drain(task.counting(7, List.of("a", "b").iterator()));
      driver.merge(task);
    }

    assertThat(driver.total()).isEqualTo(2);
  }

  @Test
  void aPartitionThatATaskReadsAgainIsCountedOnce() {
    RowCounts counts = new RowCounts();
    drain(counts.counting(7, List.of("a", "b").iterator()));
    drain(counts.counting(7, List.of("a", "b").iterator()));

    assertThat(counts.total()).isEqualTo(2);
  }

  @Test
  void aTaskThatStopsHalfWayReportsNothing() {
    RowCounts counts = new RowCounts();
    counts.counting(0, List.of("a", "b").iterator()).next();

    assertThat(counts.isZero()).isTrue();
  }
}
