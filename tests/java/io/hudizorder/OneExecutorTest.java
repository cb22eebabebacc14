package io.hudizorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.SlowRowWriter.At;
import io.hudizorder.concurrency.PlanInUseException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class OneExecutorTest extends HudiTables {

  @Test
  void aPlanIsRefusedToWhoComesWhileAnotherProcessExecutesIt() throws IOException {
    HudiTable table = table(600, 2);
    String instant = table.schedule("a");
    Path heartbeat = folder.resolve("t/.hoodie/.heartbeat").resolve(instant);
    Files.createDirectories(heartbeat.getParent());
    Files.createFile(heartbeat); // as any writer of Hudi's shows that it is alive

    assertThatThrownBy(() -> table.execute(instant, Map.of()))
        .isInstanceOf(PlanInUseException.class);

    assertThat(heartbeat).exists();
    assertThat(table.filesOf(instant)).isEmpty();

    Files.delete(heartbeat);
    table.execute(instant, Map.of());

    assertThat(table.filesOf(instant)).isNotEmpty();
    assertThat(heartbeat).doesNotExist();
  }

  /** Two have found the sign of somebody dead at the same moment, and each has replaced it. */
  @Test
  void aPlanIsLeftToWhoShowsBeforeTheCommitThatItExecutesIt() throws Exception {
    HudiTable table = table(600, 2);
    String instant = table.schedule("a");
    SlowRowWriter.stopAt(At.CLOSE);
    CompletableFuture<Void> attempt =
        CompletableFuture.runAsync(
            () ->
                table.execute(
                    instant,
                    Map.of(
                        "hoodie.parquet.spark.row.write.support.class",
                        SlowRowWriter.class.getName())));
    SlowRowWriter.awaitReached();
    Path heartbeat = folder.resolve("t/.hoodie/.heartbeat").resolve(instant);
    Files.writeString(heartbeat, "another process");
    Files.delete(heartbeat.resolveSibling("." + instant + ".crc"));

    SlowRowWriter.release();

    assertThatThrownBy(attempt::join).hasRootCauseInstanceOf(PlanInUseException.class);
    assertThat(heartbeat).hasContent("another process");
    assertThat(table.timeline())
        .filteredOn(name -> name.startsWith(instant))
        .containsOnly(instant + ".clustering.requested", instant + ".clustering.inflight");
  }
}
