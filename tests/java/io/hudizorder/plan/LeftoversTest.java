package io.hudizorder.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.HudiTable;
import io.hudizorder.HudiTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.util.ClusteringUtils;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.metadata.HoodieBackedTableMetadata;
import org.apache.hudi.metadata.HoodieTableMetadata;
import org.apache.hudi.table.HoodieSparkTable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an executor has written for nobody is taken away, and nothing else. */
@Timeout(300)
class LeftoversTest extends HudiTables {
  private static final String LATE = "late-0_0-0-0_%s.parquet";

  private HudiTable table;
  private String instant;
  private Path late;
  private Path markers;
  private Path timeline;

  @BeforeEach
  void makeTable() {
    table = table(600, 2);
    of(table.schedule("a"));
  }

  private void of(String clustering) {
    instant = clustering;
    markers = folder.resolve("t").resolve(".hoodie/.temp").resolve(instant);
    late = folder.resolve("t").resolve(String.format(LATE, instant));
  }

  /** As by an executor that goes on when nobody expects it to. */
  private void writeLate() {
    try {
      Files.createDirectories(markers);
      Files.writeString(markers.resolve(late.getFileName() + ".marker.CREATE"), "");
      Files.writeString(late, "rows that are there twice");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void removeLeftovers() {
    try (SparkRDDWriteClient<?> client = table.client(Map.of())) {
      Leftovers.removeAll(client, instant, List.of(""));
    }
  }

  private void takeOffTheTimeline() {
    try (SparkRDDWriteClient<?> client = table.client(Map.of())) {
      HoodieTableMetaClient metaClient =
          HoodieSparkTable.create(client.getConfig(), client.getEngineContext()).getMetaClient();
      PendingPlan.remove(metaClient, client.getConfig(), instant);
    }
  }

  @Test
  void aPlanThatIsPendingKeepsWhatIsWrittenForIt() {
    writeLate();

    try (SparkRDDWriteClient<?> client = table.client(Map.of())) {
      HoodieSparkTable<?> opened =
          HoodieSparkTable.create(client.getConfig(), client.getEngineContext());
      HoodieInstant pending = PendingPlan.requested(opened.getMetaClient(), instant).get();
      HoodieClusteringPlan plan =
          ClusteringUtils.getClusteringPlan(opened.getMetaClient(), pending).get().getRight();
      Leftovers.remove(opened, plan, instant);
    }

    assertThat(late).exists();
    assertThat(markers).exists();
  }

  @Test
  void nothingIsLeftOfOneThatIsNoMore() {
    takeOffTheTimeline();
    writeLate();
    long rows = table.read().count();

    removeLeftovers();

    assertThat(late).doesNotExist();
    assertThat(markers).doesNotExist();
    assertThat(table.read().count()).isEqualTo(rows);
  }

  /** Hudi's own files may have such names too, as those of its metadata table do. */
  @Test
  void nothingIsTakenAwayAmongHudisOwnFiles() throws IOException {
    takeOffTheTimeline();
    late = Files.createDirectories(folder.resolve("t/.hoodie/own")).resolve(late.getFileName());
    writeLate();

    removeLeftovers();

    assertThat(late).exists();
  }

  @Test
  void nothingIsTakenAwayOutsideTheTable() throws IOException {
    takeOffTheTimeline();
    late = Files.createDirectories(folder.resolve("other")).resolve(late.getFileName());
    writeLate();

    try (SparkRDDWriteClient<?> client = table.client(Map.of())) {
      for (String partition : List.of("..", "../other", "0/../../other", "file:" + folder)) {
        assertThatThrownBy(() -> Leftovers.removeAll(client, instant, List.of("0", partition)))
            .isInstanceOf(HoodieClusteringException.class)
            .hasMessageContaining(partition);
      }
    }

    assertThat(late).exists();
  }

  /** As Hudi leaves it that finds no plan to commit once the metadata table knows of the files. */
  private void leaveInTheMetadataTable(int version) throws IOException {
    table =
        tableIn(folder.resolve("m"))
            .with("hoodie.metadata.enable", "true")
            .with("hoodie.write.table.version", Integer.toString(version))
            .with("hoodie.write.auto.upgrade", "false")
            .write(numbers(600, 2, "hash(id)"), "bulk_insert");
    instant = table.schedule("a");
    table.execute(instant, Map.of());
    timeline = folder.resolve(version < 8 ? "m/.hoodie" : "m/.hoodie/timeline");
    for (String name : names(timeline)) {
      if (name.contains(instant)) {
        Files.delete(timeline.resolve(name));
      }
    }
    assertThat(listed()).isNotEmpty();
  }

  private static Set<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
    }
  }

  /** The files of the instant by the metadata table. */
  private Set<String> listed() {
    try (SparkRDDWriteClient<?> client = table.client(Map.of());
        HoodieTableMetadata metadata =
            new HoodieBackedTableMetadata(
                client.getEngineContext(),
                HoodieSparkTable.create(client.getConfig(), client.getEngineContext()).getStorage(),
                client.getConfig().getMetadataConfig(),
                client.getConfig().getBasePath())) {
      return metadata
          .getAllFilesInPartitions(
              List.of(folder.resolve("m/0").toString(), folder.resolve("m/1").toString()))
          .values()
          .stream()
          .flatMap(List::stream)
          .map(file -> file.getPath().getName())
          .filter(name -> name.contains(instant))
          .collect(Collectors.toSet());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theMetadataTableForgetsOneThatIsNoMore() throws IOException {
    theMetadataTableForgets(9);
  }

  /** It has no clustering action, by which Hudi knows one without its plan. */
  @Test
  @Tag("slow")
  void thatOfAnOldTableDoesToo() throws IOException {
    theMetadataTableForgets(6);
  }

  private void theMetadataTableForgets(int version) throws IOException {
    leaveInTheMetadataTable(version);

    removeLeftovers();

    assertThat(listed()).isEmpty();
    assertThat(table.filesOf(instant)).isEmpty();
    Set<String> done = names(timeline);
    removeLeftovers();
    assertThat(names(timeline)).isEqualTo(done);
    table.write(numbers(600, 2, "-1"), "upsert");
    assertThat(table.read().filter("a = -1").count()).isEqualTo(600);
  }

  /** It would fail half way, and be tried again by all that write. */
  @Test
  @Tag("slow")
  void whatBaseFilesOfTheMetadataTableHaveIsToldAndNoRollbackBegun() throws IOException {
    leaveInTheMetadataTable(9);
    table
        .with("hoodie.metadata.compact.max.delta.commits", "1")
        .write(numbers(600, 2, "-1"), "upsert");

    assertThatThrownBy(this::removeLeftovers)
        .isInstanceOf(HoodieClusteringException.class)
        .hasMessageStartingWith(
            "Cannot take out of the metadata table what it has of clustering " + instant);
    assertThat(names(timeline)).noneMatch(name -> name.contains("rollback"));
  }

  @Test
  void oneThatIsCommittedKeepsItsOwnFiles() {
    table.execute(instant, Map.of());
    Set<String> committed = table.filesOf(instant);
    writeLate();

    removeLeftovers();

    assertThat(table.filesOf(instant)).isEqualTo(committed).isNotEmpty();
    assertThat(table.read().count()).isEqualTo(600);
  }

  /** Whether it was committed only the archive knows. */
  @Test
  void filesOfOneThatIsOlderThanTheTimelineStay() {
    of("20200101000000000");
    writeLate();

    removeLeftovers();

    assertThat(late).exists();
    assertThat(markers).doesNotExist();
  }

  /** With hoodie.archive.beyond.savepoint what comes after a savepoint is archived too. */
  @Test
  void filesOfOneThatIsArchivedBehindASavepointStay() {
    String first = table.read().first().getString(0);
    table.execute(instant, Map.of());
    try (SparkRDDWriteClient<?> client = table.client(Map.of())) {
      client.savepoint(first, "test", "keeps the first load");
    }
    of(Long.toString(Long.parseLong(first) + 1));
    writeLate();

    removeLeftovers();

    assertThat(late).exists();
  }
}
