package io.hudizorder.spark.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriverRoomTest {

  private static final long MB = 1L << 20;

  private final DriverRoom room = new DriverRoom(10 * MB);

  /** What is larger than the room has it alone. */
  @ParameterizedTest
  @CsvSource({"5, 5, true", "1, 9, true", "5, 6, false", "1, 99, false", "99, 1, false"})
  void whatFitsGoesSideBySideAndElseOneAfterTheOther(long first, long second, boolean sideBySide)
      throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    CompletableFuture<Void> one =
        CompletableFuture.runAsync(() -> room.taking(first * MB, () -> await(begun, end)));
    begun.await();

    CompletableFuture<String> other =
        CompletableFuture.supplyAsync(() -> room.taking(second * MB, () -> "done"));

    if (!sideBySide) {
      assertThatThrownBy(() -> other.get(200, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      end.countDown();
    }
    assertThat(other.get(60, TimeUnit.SECONDS)).isEqualTo("done");
    end.countDown();
    one.get(60, TimeUnit.SECONDS);
  }

  @Test
  void whatFailsGivesItsRoomBack() {
    for (int time = 0; time < 3; time++) {
      assertThatThrownBy(
              () ->
                  room.taking(
                      6 * MB,
                      () -> {
                        throw new IllegalStateException("no file");
                      }))
          .hasMessage("no file");
    }
  }

  @Test
  void whoIsInterruptedWhileWaitingSaysSo() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> room.taking(MB, () -> "done"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Interrupted while waiting for room");
    assertThat(Thread.interrupted()).isTrue();
  }

  private static Void await(CountDownLatch begun, CountDownLatch end) {
    begun.countDown();
    try {
      end.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return null;
  }
}
