package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.SlowRowWriter.At;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Encoders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is killed while it writes leaves no file behind, and is waited for. */
@Timeout(300)
class NothingLateTest extends HudiTables {

  private static final String WRITER = "hoodie.parquet.spark.row.write.support.class";
  private static final int ROWS = 2_000;

  @AfterEach
  void releaseWhoeverWaits() {
    SlowRowWriter.release();
  }

  @ParameterizedTest
  @EnumSource(At.class)
  void aKilledTaskThatIsSlowToDieIsWaitedForAndLeavesNoFile(At place) throws Exception {
    HudiTable table = table(ROWS, 2);
    String instant = table.schedule("a");
    SlowRowWriter.stopAt(place);
    CompletableFuture<Void> attempt =
        CompletableFuture.runAsync(
            () -> table.execute(instant, Map.of(WRITER, SlowRowWriter.class.getName())));
    SlowRowWriter.awaitReached();

    spark.sparkContext().cancelAllJobs();

    // The task is alive, its file open: whoever is told of the failure now rolls back too early.
    assertThatThrownBy(() -> attempt.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
    SlowRowWriter.release();
    assertThatThrownBy(attempt::join).hasMessageContaining("cancelled");
    assertThat(table.filesOf(instant)).isEmpty();

    table.execute(instant, Map.of());

    Set<String> committed = fileNames(table);
    assertThat(table.filesOf(instant)).isEqualTo(committed);
    assertThat(table.read().count()).isEqualTo(ROWS);
  }

  private static Set<String> fileNames(HudiTable table) {
    List<String> names =
        table.read().select("_hoodie_file_name").distinct().as(Encoders.STRING()).collectAsList();
    return new HashSet<>(names);
  }
}
