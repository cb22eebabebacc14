package io.hudizorder.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.FaultyFiles;
import io.hudizorder.HudiTable;
import io.hudizorder.HudiTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.table.HoodieSparkTable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where a file cannot be deleted, what is left of a clustering is what can be taken back again. */
@Timeout(300)
class PendingPlanTest extends HudiTables {

  private static final Map<String, String> FAILS_IN_EXECUTION =
      Map.of("hoodie.parquet.compression.codec", "nonsense");

  private HudiTable table;
  private String instant;

  @AfterEach
  void mend() {
    FaultyFiles.mend();
  }

  private interface Change {
    void make(HoodieTableMetaClient metaClient, SparkRDDWriteClient<?> client);
  }

  private void change(Change change) {
    try (SparkRDDWriteClient<?> client = table.client(Map.of())) {
      HoodieSparkTable<?> opened =
          HoodieSparkTable.create(client.getConfig(), client.getEngineContext());
      change.make(opened.getMetaClient(), client);
    }
  }

  private void remove() {
    change((metaClient, client) -> PendingPlan.remove(metaClient, client.getConfig(), instant));
  }

  private void takeBack() {
    change(
        (metaClient, client) ->
            PendingPlan.takeBack(metaClient, client.getConfig(), instant, () -> true));
  }

  @Test
  void aPlanIsThereAsLongAsItIsInflight() {
    table = table(600, 2);
    instant = table.schedule("a");
    assertThatThrownBy(() -> table.execute(instant, FAILS_IN_EXECUTION)).isNotNull();
    FaultyFiles.undeletable(name -> name.equals(instant + ".clustering.inflight"));

    assertThatThrownBy(this::remove).isNotNull();

    assertThat(table.timeline())
        .contains(instant + ".clustering.requested", instant + ".clustering.inflight");
    FaultyFiles.mend();
    remove();
    assertThat(table.timeline()).noneMatch(name -> name.startsWith(instant));
  }

  /** Of both executions of a plan; by the table's two commits whoever repairs it knows. */
  @Tag("slow")
  @Test
  void bothCommitsAreThereAsLongAsTheMetadataTableHasBoth() {
    table = table(600, 2).with("hoodie.metadata.enable", "true");
    table.write(table.read().select("id", "a", "p"), "upsert");
    instant = table.schedule("a");
    table.execute(instant, Map.of());
    Path timeline = folder.resolve("t/.hoodie/timeline");
    Path ofMetadata = folder.resolve("t/.hoodie/metadata/.hoodie/timeline");
    List.of(timeline, ofMetadata).forEach(this::committedTwice);
    FaultyFiles.undeletable(
        name -> name.startsWith(instant + "_") && name.endsWith(".deltacommit"));

    assertThatThrownBy(this::takeBack).isNotNull();

    assertThat(commits(timeline)).hasSize(2);
    FaultyFiles.mend();
    takeBack();
    assertThat(commits(timeline)).isEmpty();
    assertThat(commits(ofMetadata)).hasSize(1);
  }

  private List<Path> commits(Path timeline) {
    try (Stream<Path> files = Files.list(timeline)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(instant + "_"))
          .collect(Collectors.toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A second commit, completed a year after the first. */
  private void committedTwice(Path timeline) {
    Path first = commits(timeline).get(0);
    String[] parts = first.getFileName().toString().split("[_.]");
    long later = Long.parseLong(parts[1]) + 10_000_000_000_000L;
    try {
      Files.copy(first, timeline.resolve(parts[0] + "_" + later + "." + parts[2]));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
