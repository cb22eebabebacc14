package io.hudizorder.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.EmptyTable;
import io.hudizorder.LocalContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.client.utils.SparkReleaseResources;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.storage.StoragePath;
import org.apache.spark.api.java.JavaRDD;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What waits for a commit is called by Hudi's own release of what was cached for it. */
class AfterCommitTest extends LocalContext {

  private static final String TABLE = "/tmp/t";

  @TempDir Path folder;
  private final HoodieSparkEngineContext engine = new HoodieSparkEngineContext(spark);
  private final HoodieWriteConfig config = HoodieWriteConfig.newBuilder().withPath(TABLE).build();
  private final List<String> called = new ArrayList<>();

  /** Says a word after a commit, another one where that is cancelled. */
  private void run(String instant, String after, String otherwise) {
    AfterCommit.run(
        engine,
        TABLE,
        instant,
        table -> called.add("looked at " + instant),
        () -> called.add(after),
        () -> called.add(otherwise));
  }

  private void release(String instant) {
    SparkReleaseResources.releaseCachedData(engine, config, TABLE, instant);
  }

  @Test
  void eachOfTwoInstantsOfATableIsToldOfItsOwn() {
    run("1", "first", "cancelled");
    run("2", "second", "cancelled");

    release("1");
    assertThat(called).containsExactly("first");
    release("2");
    assertThat(called).containsExactly("first", "second");
  }

  @Test
  void anInstantThatIsTriedAgainIsToldOnce() {
    run("3", "failed", "cancelled");
    run("3", "again", "cancelled");

    release("3");
    release("3");

    assertThat(called).containsExactly("again");
  }

  @Test
  void aCommitThatIsCancelledIsNotToldOf() {
    run("4", "committed", "cancelled");

    AfterCommit.cancel(new StoragePath(TABLE + "/"), "4");
    AfterCommit.cancel(new StoragePath(TABLE), "4");
    release("4");

    assertThat(called).containsExactly("cancelled");
  }

  /** The metadata table has commits of the same instants, by threads of others or by this one. */
  @Test
  void whoCommitsAnInstantOfTheTableLooksUnderItsLock() throws Exception {
    HoodieTableMetaClient table = EmptyTable.in(folder, HoodieTableType.COPY_ON_WRITE);
    AfterCommit.run(
        engine, folder.toString(), "6", now -> called.add("looked"), () -> {}, () -> {});

    Thread other = new Thread(() -> AfterCommit.underLock(table, "6"));
    other.start();
    other.join();
    AfterCommit.underLock(table, "7");
    assertThat(called).isEmpty();
    AfterCommit.underLock(table, "6");

    assertThat(called).containsExactly("looked");
    AfterCommit.cancel(new StoragePath(folder.toString()), "6");
  }

  /** As a stream does with all that is cached, after a batch that failed. */
  @Test
  void whatAnotherThreadFreesIsNoCommit() throws InterruptedException {
    run("5", "committed", "cancelled");

    Thread stream =
        new Thread(() -> spark.getPersistentRDDs().values().forEach(JavaRDD::unpersist));
    stream.start();
    stream.join();
    assertThat(called).isEmpty();
    release("5");

    assertThat(called).containsExactly("committed");
  }
}
