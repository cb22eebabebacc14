package io.hudizorder.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.HudiTable;
import io.hudizorder.HudiTables;
import io.hudizorder.TableLock;
import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.hudi.HudiCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.table.HoodieSparkTable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A committed clustering is made pending again only if a look under the lock allows it. */
@Timeout(300)
class TakeBackTest extends HudiTables {

  private static final Map<String, String> LOCKED =
      Map.of(
          "hoodie.write.concurrency.mode",
          "optimistic_concurrency_control",
          "hoodie.write.lock.provider",
          TableLock.class.getName());

  private HudiTable table;
  private String instant;
  private SparkRDDWriteClient<?> client;
  private HoodieTableMetaClient metaClient;
  private Path commit;

  @BeforeEach
  void commitAClustering() {
    table = table(600, 2);
    instant = table.schedule("a");
    table.execute(instant, Map.of());
    client = table.client(LOCKED);
    metaClient =
        HoodieSparkTable.create(client.getConfig(), client.getEngineContext()).getMetaClient();
    HoodieInstant committed = PendingPlan.committed(metaClient, instant).get();
    commit = Path.of(FormatCalls.here().file(metaClient, committed).toUri().getPath());
  }

  @AfterEach
  void closeClient() {
    client.close();
  }

  private boolean isCommitted() {
    return table.timeline().contains(commit.getFileName().toString());
  }

  private void write(byte[] content) {
    try {
      Files.deleteIfExists(commit.resolveSibling("." + commit.getFileName() + ".crc"));
      Files.write(commit, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aLookThatForbidsItLeavesTheCommit() {
    assertThat(PendingPlan.takeBack(metaClient, client.getConfig(), instant, () -> false))
        .isFalse();
    assertThat(isCommitted()).isTrue();

    assertThat(PendingPlan.takeBack(metaClient, client.getConfig(), instant, () -> true)).isTrue();
    assertThat(isCommitted()).isFalse();
  }

  @Test
  void whoCancelsWhatIsCommittedByThenIsToldSo() {
    assertThatThrownBy(() -> PendingPlan.cancel(client, instant))
        .isInstanceOf(HoodieClusteringException.class)
        .hasMessageStartingWith("Cannot cancel clustering %s: it was committed", instant);
    assertThat(isCommitted()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.5})
  void aCommitThatWasNotWrittenWholeIsTakenBack(double share) throws IOException {
    byte[] whole = Files.readAllBytes(commit);
    write(Arrays.copyOf(whole, (int) (whole.length * share)));

    PendingPlan.takeBackHalf(metaClient, LOCKED, instant);

    assertThat(isCommitted()).isFalse();
  }

  @Test
  void aCommitThatItsExecutorCompletesUnderTheLockStays() throws Exception {
    byte[] whole = Files.readAllBytes(commit);
    write(new byte[0]);
    FutureTask<Void> other =
        new FutureTask<>(() -> PendingPlan.takeBackHalf(metaClient, LOCKED, instant), null);
    Thread waiting = new Thread(other);
    HudiCalls.here()
        .underLock(
            client.getConfig(),
            metaClient.getStorage(),
            () -> {
              waiting.start();
              while (waiting.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
              }
              write(whole);
            });
    other.get();

    assertThat(isCommitted()).isTrue();
    assertThat(Files.readAllBytes(commit)).isEqualTo(whole);
  }
}
