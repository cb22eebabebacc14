package io.hudizorder.concurrency;

import static io.hudizorder.concurrency.PlannedTable.CLUSTERING;
import static io.hudizorder.concurrency.PlannedTable.FILE;
import static io.hudizorder.concurrency.PlannedTable.FIRST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieInstant.State;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.util.Option;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A clustering looks three times, and each time by itself for all that is in its way. */
class LooksTest {

  private static final String EARLIER = "20260101000000001";
  private static final String LATER = "20260101000000003";

  /** The looks of one execution. */
  enum Look {
    BEFORE_THE_WORK,
    BEFORE_THE_COMMIT,
    AFTER_THE_COMMIT;

    void of(ConcurrentWrites others, HoodieTableMetaClient table) {
      switch (this) {
        case BEFORE_THE_WORK:
          others.requireNone();
          break;
        case BEFORE_THE_COMMIT:
          others.awaitNone();
          break;
        default:
          others.requireNoneSince(HoodieTableMetaClient.reload(table));
      }
    }
  }

  @TempDir Path folder;
  private HoodieTableMetaClient table;
  private ConcurrentWrites others;

  @BeforeEach
  void beginClustering() throws Exception {
    table = PlannedTable.ofFile(folder);
    PlannedTable.begin(table, Planned.plan(FILE));
    others = PlannedTable.beside(table, Planned.plan(FILE));
  }

  /** What a look gives way to; nothing where it finds nothing. */
  private String found(Look look) {
    Throwable given = catchThrowable(() -> look.of(others, table));
    if (given == null) {
      return "";
    }
    assertThat(given).isInstanceOf(ConcurrentWriteException.class);
    return given.getMessage();
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsInTheWayOfOneThatIsAlone(Look look) {
    assertThat(found(look)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    EARLIER + ", f1, BEFORE_THE_WORK, true",
    EARLIER + ", f1, BEFORE_THE_COMMIT, true",
    EARLIER + ", f2, BEFORE_THE_WORK, false",
    LATER + ", f2, BEFORE_THE_COMMIT, false"
  })
  void ofTwoPlansOfTheSameFilesTheSecondGivesWay(
      String planned, String fileId, Look look, boolean givesWay) {
    planToo(planned, fileId);

    assertThat(found(look))
        .isEqualTo(
            givesWay
                ? "clustering "
                    + planned
                    + ", which was planned before it, takes file group p/f1 too"
                : "");
  }

  /** Though Hudi reads no table that has both, until the second has been withdrawn. */
  @ParameterizedTest
  @EnumSource(names = {"BEFORE_THE_WORK", "BEFORE_THE_COMMIT"})
  void theFirstIsNotWithdrawnAsWell(Look look) {
    planToo(LATER, "f1");

    assertThat(catchThrowable(() -> look.of(others, table)))
        .isNotInstanceOf(ConcurrentWriteException.class)
        .hasMessageContaining("duplicate file groups pending clustering");
  }

  private void planToo(String planned, String fileId) {
    HoodieClusteringPlan rival = Planned.plan(FILE);
    rival.getInputGroups().get(0).getSlices().get(0).setFileId(fileId);
    PlannedTable.plan(table, planned, rival);
  }

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_THE_WORK", "BEFORE_THE_COMMIT"})
  void aPlanThatSomebodyHasCancelledIsExecutedNoFurther(Look look) throws Exception {
    for (String state : new String[] {"inflight", "requested"}) {
      Files.delete(folder.resolve(".hoodie/timeline/" + CLUSTERING + ".clustering." + state));
    }

    assertThat(found(look)).isEqualTo("another process has taken it off the timeline");
  }

  /** By Hudi, before its own execution, for whoever began to execute the plan earlier. */
  @ParameterizedTest
  @EnumSource(names = {"BEFORE_THE_COMMIT", "AFTER_THE_COMMIT"})
  void whatItHasWrittenIsGoneWhereItWasRolledBackSinceItBegan(Look look) {
    PlannedTable.rollBack(table, LATER, CLUSTERING);
    assertThat(found(Look.BEFORE_THE_WORK)).isEmpty();
    assertThat(found(look)).isEmpty();

    PlannedTable.rollBack(table, "20260101000000004", CLUSTERING);

    assertThat(found(look)).startsWith("another process has begun to execute it too");
  }

  @ParameterizedTest
  @EnumSource
  void aWriteThatIsRolledBackMustNotComeBackByWhatWasReadOfIt(Look look) {
    PlannedTable.rollBack(table, LATER, FIRST, "/lake/t/p/" + FILE);

    assertThat(found(look))
        .isEqualTo("rollback %s takes back write %s, which wrote to file group p/f1", LATER, FIRST);
  }

  /** Its writer is dead, or gives up. */
  @ParameterizedTest
  @EnumSource
  void aWriteUnderWayThatIsRolledBackIsWaitedForNoMore(Look look) throws Exception {
    Files.createFile(folder.resolve(".hoodie/timeline/" + EARLIER + ".commit.requested"));
    if (look != Look.BEFORE_THE_WORK) {
      assertThat(found(look)).startsWith("write " + EARLIER + " has not ended within 0 seconds");
    }

    PlannedTable.rollBack(table, LATER, EARLIER);

    assertThat(found(look)).isEmpty();
  }

  /** Before anything is written that would be in vain. */
  @ParameterizedTest
  @EnumSource
  void aWriteUnderWayThatSaysThatItChangesTheSameComesFirst(Look look) {
    HoodieWriteStat stat = new HoodieWriteStat();
    stat.setFileId("f1");
    HoodieCommitMetadata workload = new HoodieCommitMetadata();
    workload.addWriteStat("p", stat);
    begin(LATER, Option.of(workload));

    assertThat(found(look))
        .isEqualTo("write %s, which is under way, is changing what it is to replace", LATER);
  }

  /**
   * Hudi would show the columns of the clustering in their place, unless the write was requested
   * later; those of one that had ended when it began are the clustering's, too.
   */
  @ParameterizedTest
  @CsvSource({
    EARLIER + ", false, BEFORE_THE_COMMIT, true",
    EARLIER + ", false, AFTER_THE_COMMIT, true",
    EARLIER + ", true, BEFORE_THE_COMMIT, false",
    LATER + ", false, BEFORE_THE_COMMIT, false",
    LATER + ", false, AFTER_THE_COMMIT, false"
  })
  void aColumnThatAWriteToOtherFilesHasAddedMeanwhileIsGivenWayTo(
      String write, boolean hadEnded, Look look, boolean givesWay) {
    commit(write, PlannedTable.schema("a", "b"));
    if (hadEnded) {
      others = PlannedTable.beside(table, Planned.plan(FILE));
    }

    assertThat(found(look))
        .isEqualTo(
            givesWay
                ? "write "
                    + write
                    + ", which was committed since it was planned, changed the column 'b' of the"
                    + " table"
                : "");
  }

  /** Such as that which deletes a partition. */
  @ParameterizedTest
  @EnumSource(names = {"BEFORE_THE_COMMIT", "AFTER_THE_COMMIT"})
  void aCommitThatTellsNoColumnsChangesNone(Look look) {
    commit(EARLIER, "");

    assertThat(found(look)).isEmpty();
  }

  private HoodieInstant instant(State state, String write) {
    return table.createNewInstant(state, HoodieTimeline.COMMIT_ACTION, write);
  }

  private void begin(String write, Option<HoodieCommitMetadata> workload) {
    table.getActiveTimeline().createNewInstant(instant(State.REQUESTED, write));
    table
        .getActiveTimeline()
        .transitionRequestedToInflight(instant(State.REQUESTED, write), workload);
  }

  private void commit(String write, String columns) {
    HoodieCommitMetadata commit = new HoodieCommitMetadata();
    commit.addMetadata(HoodieCommitMetadata.SCHEMA_KEY, columns);
    begin(write, Option.empty());
    table.getActiveTimeline().saveAsComplete(instant(State.INFLIGHT, write), Option.of(commit));
  }
}
