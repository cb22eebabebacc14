package io.hudizorder.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.storage.StoragePath;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a plan says, its files lie in partitions of the table. */
class PlannedPathsTest {
  private static final String TABLE = "file:/lake/t";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "..",
        "../other",
        "day=1/../../other",
        "../t2",
        "/lake/other",
        "/day=1",
        "file:/lake/other",
        "//host/other",
        "day=1/..",
        ".hoodie",
        ".hoodie/timeline",
        "day=1/../.hoodie"
      })
  void aPartitionThatLeadsElsewhereIsRefused(String partition) {
    assertThatThrownBy(() -> PlannedPaths.within(TABLE, plan(partition, "a.parquet")))
        .isInstanceOf(HoodieClusteringException.class)
        .hasMessageContaining("partition '" + partition + "' of table '" + TABLE + "'")
        .hasMessageContaining("it leads out of");
  }

  /** Hudi would not replace its files, by a name that the table does not have it by. */
  @ParameterizedTest
  @CsvSource({"day=1/, day=1", "day=1//hour=2, day=1/hour=2", "./day=1, day=1"})
  void aPartitionByAnotherSpellingIsTakenForItselfByAPlannerAndRefusedByAnExecutor(
      String spelt, String listed) {
    assertThat(PlannedPaths.asListed(new StoragePath(TABLE), spelt)).isEqualTo(listed);
    assertThat(PlannedPaths.asListed(new StoragePath(TABLE), listed)).isEqualTo(listed);
    assertThatThrownBy(() -> PlannedPaths.within(TABLE, plan(spelt, "a.parquet")))
        .isInstanceOf(HoodieClusteringException.class)
        .hasMessageContaining("partition '" + spelt + "', for the table has it as '" + listed);
  }

  @ParameterizedTest
  @CsvSource({
    "'', file:/lake/t",
    "day=1, file:/lake/t/day=1",
    "day=1/hour=2, file:/lake/t/day=1/hour=2",
    "..day, file:/lake/t/..day",
    "a %2e%2e b, file:/lake/t/a %2e%2e b",
    ".hoodies, file:/lake/t/.hoodies",
  })
  void aPartitionIsAFolderOfTheTable(String partition, String folder) {
    assertThat(PlannedPaths.folder(new StoragePath(TABLE), partition)).hasToString(folder);
  }

  @ParameterizedTest
  @CsvSource({
    "file:/lake/t/day=1/a.parquet, file:/lake/t/day=1/a.parquet",
    "file:/elsewhere/t/day=1/a.parquet, file:/lake/t/day=1/a.parquet",
    "file:/lake/t/../other/a.parquet, file:/lake/t/day=1/a.parquet",
    "../../other/a.parquet, file:/lake/t/day=1/a.parquet",
  })
  void aFileElsewhereIsTheOneOfItsNameInTheTable(String planned, String here) {
    HoodieClusteringPlan plan = PlannedPaths.within(TABLE, plan("day=1", planned));
    HoodieSliceInfo slice = plan.getInputGroups().get(0).getSlices().get(0);
    assertThat(slice.getDataFilePath()).isEqualTo(here);
    assertThat(slice.getDeltaFilePaths()).containsExactly(here);
  }

  private static HoodieClusteringPlan plan(String partition, String file) {
    HoodieSliceInfo slice =
        HoodieSliceInfo.newBuilder()
            .setPartitionPath(partition)
            .setFileId("f")
            .setDataFilePath(file)
            .setDeltaFilePaths(List.of(file))
            .build();
    HoodieClusteringGroup group =
        HoodieClusteringGroup.newBuilder().setSlices(List.of(slice)).build();
    return HoodieClusteringPlan.newBuilder().setInputGroups(List.of(group)).build();
  }
}
