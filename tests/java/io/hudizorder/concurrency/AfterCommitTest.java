package io.hudizorder.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.LocalContext;
import java.util.ArrayList;
import java.util.List;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.client.utils.SparkReleaseResources;
import org.apache.hudi.config.HoodieWriteConfig;
import org.junit.jupiter.api.Test;

/** What waits for a commit is called by Hudi's own release of what was cached for it. */
class AfterCommitTest extends LocalContext {

  private static final String TABLE = "/tmp/t";

  private final HoodieSparkEngineContext engine = new HoodieSparkEngineContext(spark);
  private final HoodieWriteConfig config = HoodieWriteConfig.newBuilder().withPath(TABLE).build();
  private final List<String> called = new ArrayList<>();

  private void release(String instant) {
    SparkReleaseResources.releaseCachedData(engine, config, TABLE, instant);
  }

  @Test
  void eachOfTwoInstantsOfATableIsToldOfItsOwn() {
    AfterCommit.run(engine, TABLE, "1", () -> called.add("first"));
    AfterCommit.run(engine, TABLE, "2", () -> called.add("second"));

    release("1");
    assertThat(called).containsExactly("first");
    release("2");
    assertThat(called).containsExactly("first", "second");
  }

  @Test
  void anInstantThatIsTriedAgainIsToldOnce() {
    AfterCommit.run(engine, TABLE, "3", () -> called.add("failed"));
    AfterCommit.run(engine, TABLE, "3", () -> called.add("again"));

    release("3");
    release("3");

    assertThat(called).containsExactly("again");
  }
}
