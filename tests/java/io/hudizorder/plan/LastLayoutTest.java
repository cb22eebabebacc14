package io.hudizorder.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.hudizorder.WrittenTimeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LastLayoutTest {

  private static final String COLUMNS = "hoodie.clustering.plan.strategy.sort.columns";
  private static final String CUTS = "hoodie.clustering.zorder.cuts";
  private static final String TARGET = "hoodie.clustering.plan.strategy.target.file.max.bytes";
  private static final String QUERIES = "hoodie.clustering.zorder.queries";

  @TempDir Path folder;
  private WrittenTimeline timeline;

  @BeforeEach
  void makeTable() throws IOException {
    timeline = new WrittenTimeline(folder);
  }

  @Test
  void itIsThatOfTheLatestPlanOfOursThatWasCommitted() throws IOException {
    assertThat(LastLayout.of(timeline.now())).isEmpty();

    timeline.clustering("20260101000000001", Map.of(COLUMNS, "a", CUTS, "tree"));
    timeline.clustering("20260101000000002", Map.of(COLUMNS, "a,b", CUTS, "tree"));
    timeline.plan("20260101000000003", Map.of(COLUMNS, "c")); // by Hudi's own planner
    timeline.commit("20260101000000003");
    timeline.plan("20260101000000004", Map.of(COLUMNS, "d", CUTS, "tree"));

    assertThat(LastLayout.of(timeline.now())).containsEntry(COLUMNS, "a,b");
  }

  @ParameterizedTest
  @CsvSource({
    "'a,b', '', last",
    "'A, b', '', last",
    "'a,b', none, none",
    "'a,b', others, others",
    "'b,a', '', ''",
    "'a', '', ''"
  })
  void itsQueriesHoldForTheSameColumnsUntilOthersAreGiven(
      String columns, String given, String queries) throws IOException {
    timeline.clustering("20260101000000001", Map.of(COLUMNS, "a,B", CUTS, "tree", QUERIES, "last"));
    Properties options = new Properties();
    options.setProperty(COLUMNS, columns);
    options.setProperty(QUERIES, given);

    assertThat(
            LastLayout.completed(options, LastLayout.of(timeline.now())).getProperty(QUERIES, ""))
        .isEqualTo(queries);
  }

  private static Properties completed(Map<String, String> given, Map<String, String> last) {
    Properties options = new Properties();
    options.putAll(given);
    return LastLayout.completed(options, last);
  }

  private static final Map<String, String> LAST =
      Map.of(
          COLUMNS,
          "a,B",
          CUTS,
          "equal",
          "hoodie.clustering.zorder.column.weights",
          "a=1.0,B=0.33",
          "hoodie.layout.optimize.strategy",
          "LINEAR",
          TARGET,
          "33554432",
          "hoodie.clustering.zorder.file.order",
          "tiles",
          "hoodie.clustering.zorder.mode",
          "full",
          "hoodie.clustering.zorder.verify",
          "content",
          "hoodie.clustering.zorder.page.row.limit",
          "5000",
          "hoodie.clustering.zorder.seed",
          "7");

  @Test
  void whatNobodyChoseIsThatOfTheLastClusteringBySameColumns() {
    assertThat(completed(Map.of(COLUMNS, "A, b"), LAST))
        .containsOnly(
            entry(COLUMNS, "a,B"),
            entry(CUTS, "equal"),
            entry("hoodie.clustering.zorder.column.weights", "a=1.0,B=0.33"),
            entry("hoodie.layout.optimize.strategy", "LINEAR"),
            entry("hoodie.clustering.zorder.page.row.limit", "5000"),
            entry("hoodie.clustering.zorder.seed", "7"),
            entry(TARGET, "33554432"));
  }

  @Test
  void whatSomebodyChoseStands() {
    Map<String, String> chosen =
        Map.of(
            "hoodie.clustering.zorder.page.row.limit",
            "900",
            "hoodie.clustering.zorder.seed",
            "8",
            COLUMNS,
            "A,b",
            CUTS,
            "tree",
            "hoodie.clustering.zorder.column.weights",
            "A=2",
            "hoodie.layout.optimize.strategy",
            "zorder",
            TARGET,
            "1000000");
    assertThat(completed(chosen, LAST)).containsExactlyInAnyOrderEntriesOf(chosen);
  }

  @ParameterizedTest
  @CsvSource({"'b,a', ''", "'a,b', _z", "'', ''"})
  void otherColumnsAreAnotherLayout(String columns, String zColumn) {
    Map<String, String> given =
        Map.of(COLUMNS, columns, "hoodie.clustering.zorder.z.column", zColumn);
    assertThat(completed(given, LAST)).containsExactlyInAnyOrderEntriesOf(given);
  }

  @Test
  void itIsFoundInTheArchiveHoweverManyOverwritesCameSince() throws IOException {
    timeline.clustering("20260101000000000", Map.of(COLUMNS, "a,b", CUTS, "tree"));
    for (int n = 1; n < 60; n++) {
      timeline.overwrite(String.format("202601010000%05d", n));
    }
    timeline.archive();

    assertThat(timeline.now().getActiveTimeline().countInstants()).isZero();
    assertThat(LastLayout.of(timeline.now())).containsEntry(COLUMNS, "a,b");
  }

  @Test
  void anArchivedOverwriteOfBeforeAnUpgradeIsNone() throws IOException {
    timeline.overwriteBeforeUpgrade("20260101000000002");
    timeline.archive();
    assertThat(LastLayout.of(timeline.now())).isEmpty();

    timeline.clustering("20260101000000003", Map.of(COLUMNS, "a,b", CUTS, "tree"));
    timeline.overwriteBeforeUpgrade("20260101000000004");
    timeline.archive();
    assertThat(LastLayout.of(timeline.now())).containsEntry(COLUMNS, "a,b");
  }

  /** Hudi writes the archive, and then deletes the plan, and then the commit. */
  @Test
  void oneThatHudiIsArchivingIsFoundInTheArchive() throws IOException {
    timeline.clustering("20260101000000001", Map.of(COLUMNS, "a,b", CUTS, "tree"));
    timeline.overwrite("20260101000000002");
    timeline.archive();
    timeline.commit("20260101000000001");
    timeline.commit("20260101000000002");

    assertThat(LastLayout.of(timeline.now())).containsEntry(COLUMNS, "a,b");
  }

  @Test
  void oneWhosePlanIsDamagedIsNotPassedOver() throws IOException {
    timeline.clustering("20260101000000001", Map.of(COLUMNS, "a,b", CUTS, "tree"));
    Path plan = folder.resolve(".hoodie/timeline/20260101000000001.clustering.requested");
    Files.writeString(plan, "damaged");

    assertThatThrownBy(() -> LastLayout.of(timeline.now())).hasMessageContaining("clustering plan");
  }
}
