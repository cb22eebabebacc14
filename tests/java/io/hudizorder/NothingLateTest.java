package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.SlowRowWriter.At;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.io.FileUtils;
import org.apache.spark.sql.Encoders;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is killed while it writes is waited for, and none of its files committed; on every way. */
@Timeout(300)
class NothingLateTest extends HudiTables {

  private static final Map<String, String> SLOW_WRITERS =
      Map.of(
          "hoodie.parquet.spark.row.write.support.class", SlowRowWriter.class.getName(),
          "hoodie.avro.write.support.class", SlowRecordWriter.class.getName());
  private static final int ROWS = 2_000;
  private static final int PARTITIONS = 2;

  /** What ends a clustering while a task has its file open. */
  enum End {
    CANCELLED(SlowRowWriter::stopAt, "cancelled"),
    /** The task of another file fails. */
    FAILED(SlowRowWriter::stopFirstAt, SlowRowWriter.FAILURE);

    private final Consumer<At> prepare;
    private final String message;

    End(Consumer<At> prepare, String message) {
      this.prepare = prepare;
      this.message = message;
    }
  }

  @TempDir private static Path tables;

  @AfterEach
  void releaseWhoeverWaits() {
    SlowRowWriter.release();
  }

  /** Each way, place and end once. */
  static List<Arguments> quick() {
    return QuickCases.every(4, killed());
  }

  static List<Arguments> others() {
    return QuickCases.others(4, killed());
  }

  static List<Arguments> killed() {
    List<Arguments> killed = new ArrayList<>();
    for (Way way : Way.values()) {
      killed.add(Arguments.of(way, At.ROW, End.CANCELLED));
      killed.add(Arguments.of(way, At.CLOSE, End.CANCELLED));
      killed.add(Arguments.of(way, At.ROW, End.FAILED));
    }
    return killed;
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("others")
  void itIsSoOnEveryWayAndAtEveryPlace(Way way, At place, End end) throws Exception {
    aKilledTaskThatIsSlowToDieIsWaitedForAndLeavesNoFileToARetry(way, place, end);
  }

  @ParameterizedTest
  @MethodSource("quick")
  void aKilledTaskThatIsSlowToDieIsWaitedForAndLeavesNoFileToARetry(Way way, At place, End end)
      throws Exception {
    HudiTable table = way.of(copy());
    String instant = table.schedule("a");
    end.prepare.accept(place);
    CompletableFuture<Void> attempt =
        CompletableFuture.runAsync(() -> table.execute(instant, SLOW_WRITERS));
    SlowRowWriter.awaitReached();

    if (end == End.CANCELLED) {
      spark.sparkContext().cancelAllJobs();
    } else {
      SlowRowWriter.awaitFailed();
    }

    // The task is alive, its file open: whoever is told of the failure now rolls back too early.
    assertThatThrownBy(() -> attempt.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
    assertThat(tasks()).isNotEmpty();
    SlowRowWriter.release();
    assertThatThrownBy(attempt::join).hasStackTraceContaining(end.message);
    assertThat(tasks()).isEmpty();
    // Hudi's own tasks of the record path leave theirs to the rollback before a retry.
    if (way != Way.RECORDS) {
      assertThat(table.filesOf(instant)).isEmpty();
    }

    table.execute(instant, Map.of());

    Set<String> committed = fileNames(table);
    assertThat(table.filesOf(instant)).isEqualTo(committed);
    assertThat(committed.size() > PARTITIONS).isEqualTo(way == Way.GROUPS);
    assertThat(table.read().count()).isEqualTo(ROWS);
  }

  /** A table of its own for a test, which takes longer to write than to copy. */
  private HudiTable copy() throws IOException {
    Path model = tables.resolve("t");
    if (!Files.exists(model)) {
      FileUtils.moveDirectory(written().toFile(), model.toFile());
    }
    FileUtils.copyDirectory(model.toFile(), folder.resolve("t").toFile());
    return tableIn(folder.resolve("t"));
  }

  private Path written() {
    table(ROWS, PARTITIONS);
    return folder.resolve("t");
  }

  /** Spark's threads that are in a task, whether Spark has given it up or not. */
  private static Set<String> tasks() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(thread -> Stream.of(thread.getValue()).anyMatch(NothingLateTest::runsTask))
        .map(thread -> thread.getKey().getName())
        .collect(Collectors.toSet());
  }

  private static boolean runsTask(StackTraceElement call) {
    return call.getClassName().equals("org.apache.spark.scheduler.Task");
  }

  private static Set<String> fileNames(HudiTable table) {
    List<String> names =
        table.read().select("_hoodie_file_name").distinct().as(Encoders.STRING()).collectAsList();
    return new HashSet<>(names);
  }
}
