package io.hudizorder.concurrency;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hudizorder.EmptyTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.hudi.avro.model.HoodieCleanFileInfo;
import org.apache.hudi.avro.model.HoodieCleanerPlan;
import org.apache.hudi.avro.model.HoodieRequestedReplaceMetadata;
import org.apache.hudi.common.config.HoodieMetadataConfig;
import org.apache.hudi.common.engine.HoodieLocalEngineContext;
import org.apache.hudi.common.model.HoodieTableType;
import org.apache.hudi.common.model.WriteOperationType;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A clustering that replaced file group f1 by another one is taken back, unless that loses rows.
 */
class ReversalTest {

  private static final String WRITE = "20260101000000001";
  private static final String CLUSTERING = "20260101000000003";
  private static final String LATER = "20260101000000005";
  private static final String BASE = "f1_0-1-2_" + WRITE + ".parquet";

  @TempDir Path folder;
  private HoodieTableMetaClient table;

  @BeforeEach
  void makeTable() throws Exception {
    table = EmptyTable.in(folder, HoodieTableType.COPY_ON_WRITE);
    timeline(WRITE + "_20260101000000002.commit");
    Files.createDirectories(folder.resolve("p"));
    Files.createFile(folder.resolve("p").resolve(BASE));
  }

  private void timeline(String name) throws IOException {
    Files.createFile(folder.resolve(".hoodie/timeline").resolve(name));
  }

  /** The file group that was written is told by the one that some plan would replace. */
  private void require(FileGroups written) {
    require(Planned.files(BASE), written);
  }

  private void require(FileGroups replaced, FileGroups written) {
    HoodieWriteConfig config =
        HoodieWriteConfig.newBuilder()
            .withPath(folder.toString())
            .withMetadataConfig(HoodieMetadataConfig.newBuilder().enable(false).build())
            .build();
    HoodieTableMetaClient now = HoodieTableMetaClient.reload(table);
    HoodieInstant committed =
        table.createNewInstant(
            HoodieInstant.State.COMPLETED, HoodieTimeline.REPLACE_COMMIT_ACTION, CLUSTERING);
    HoodieLocalEngineContext engine = new HoodieLocalEngineContext(table.getStorageConf());
    new Reversal(engine, config, committed, replaced, written).require(now);
  }

  @Test
  void nothingIsInTheWayOfOneThatNobodyHasBuiltOn() {
    assertThatCode(() -> require(Planned.files("f1_0-1-2_" + CLUSTERING + ".parquet")))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({WRITE + ", false", CLUSTERING + ", true", LATER + ", true"})
  void aSavepointSinceItsCommitIs(String savepoint, boolean refused) throws IOException {
    timeline(savepoint + "_20260101000000009.savepoint");

    if (refused) {
      assertThatThrownBy(() -> require(Planned.files(BASE)))
          .isInstanceOf(ConcurrentWriteException.class)
          .hasMessage("savepoint %s was made, which names its files", savepoint);
    } else {
      assertThatCode(() -> require(Planned.files(BASE))).doesNotThrowAnyException();
    }
  }

  @ParameterizedTest
  @CsvSource({CLUSTERING + ", false", LATER + ", true"})
  void soIsAnotherPlanForWhatItWrote(String planned, boolean refused) {
    HoodieInstant requested =
        table.createNewInstant(
            HoodieInstant.State.REQUESTED, HoodieTimeline.CLUSTERING_ACTION, planned);
    table
        .getActiveTimeline()
        .saveToPendingClusterCommit(
            requested,
            HoodieRequestedReplaceMetadata.newBuilder()
                .setOperationType(WriteOperationType.CLUSTER.name())
                .setClusteringPlan(Planned.plan(BASE))
                .build());

    if (refused) {
      assertThatThrownBy(() -> require(Planned.files(BASE)))
          .isInstanceOf(ConcurrentWriteException.class)
          .hasMessage("clustering %s was planned, which takes %s", planned, "file group p/f1");
    } else {
      assertThatCode(() -> require(Planned.files(BASE))).doesNotThrowAnyException();
    }
  }

  @Test
  void soIsTheCleaningOfWhatItReplaced() {
    HoodieInstant requested =
        table.createNewInstant(HoodieInstant.State.REQUESTED, HoodieTimeline.CLEAN_ACTION, LATER);
    HoodieCleanFileInfo file = new HoodieCleanFileInfo("/lake/t/p/" + BASE, false);
    table
        .getActiveTimeline()
        .saveToCleanRequested(
            requested,
            Option.of(
                HoodieCleanerPlan.newBuilder()
                    .setPolicy("")
                    .setVersion(2)
                    .setFilePathsToBeDeletedPerPartition(Map.of("p", List.of(file)))
                    .build()));

    assertThatThrownBy(() -> require(Planned.files(BASE)))
        .isInstanceOf(ConcurrentWriteException.class)
        .hasMessage("cleaning %s is deleting what it replaced, of file group p/f1", LATER);
  }

  /** If its own entry is archived there, a compaction has come since. */
  @ParameterizedTest
  @CsvSource({
    WRITE + ", " + CLUSTERING + ", false",
    "20260101000000004, " + CLUSTERING + ", true",
    LATER + ", " + CLUSTERING + ", true",
    WRITE + ", , true"
  })
  void soIsThatTheMetadataTableWasCompacted(String compaction, String entry, boolean refused)
      throws IOException {
    Path metadata = Files.createDirectories(folder.resolve(".hoodie/metadata"));
    EmptyTable.in(metadata, HoodieTableType.MERGE_ON_READ);
    Properties indexed = new Properties();
    indexed.setProperty(HoodieTableConfig.TABLE_METADATA_PARTITIONS.key(), "files");
    HoodieTableConfig.update(table.getStorage(), table.getMetaPath(), indexed);
    Path entries = metadata.resolve(".hoodie/timeline");
    if (entry != null) {
      Files.createFile(entries.resolve(entry + "_20260101000000004.deltacommit"));
    }
    Files.createFile(entries.resolve(compaction + "_20260101000000009.commit"));

    if (refused) {
      assertThatThrownBy(() -> require(Planned.files(BASE)))
          .isInstanceOf(ConcurrentWriteException.class)
          .hasMessage("the metadata table was compacted");
    } else {
      assertThatCode(() -> require(Planned.files(BASE))).doesNotThrowAnyException();
    }
  }

  @Test
  void soIsThatALogIsGoneOfThoseWhoseBaseFileIsThere() {
    FileGroups replaced = Planned.files(BASE, ".f1_" + WRITE + ".log.1_0-3-4");

    assertThatThrownBy(() -> require(replaced, Planned.files(BASE)))
        .isInstanceOf(ConcurrentWriteException.class)
        .hasMessage("what it replaced was deleted, of file group p/f1");
  }

  @Test
  void soIsThatAFileIsGoneOfThose() throws IOException {
    Files.delete(folder.resolve("p").resolve(BASE));

    assertThatThrownBy(() -> require(Planned.files(BASE)))
        .isInstanceOf(ConcurrentWriteException.class)
        .hasMessage("what it replaced was deleted, of file group p/f1");
  }
}
