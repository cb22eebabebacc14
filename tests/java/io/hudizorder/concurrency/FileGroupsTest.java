package io.hudizorder.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieReplaceCommitMetadata;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileGroupsTest {

  private static final String BASE = "f1_0-1-2_20260101000000001.parquet";
  private static final String LOG = ".f1_20260101000000001.log.1_0-3-4";

  private static HoodieCommitMetadata commit(String path) {
    HoodieWriteStat stat = new HoodieWriteStat();
    stat.setFileId("f1");
    stat.setPath(path);
    HoodieCommitMetadata commit = new HoodieCommitMetadata();
    commit.addWriteStat("p", stat);
    return commit;
  }

  /** Hudi before 1.0 may go on in a log file that is known. */
  @ParameterizedTest
  @CsvSource({
    BASE + ", false, false",
    BASE + ", true, false",
    LOG + ", false, false",
    LOG + ", true, true",
    "f1_0-1-2_20260101000000009.parquet, false, true",
    ", false, true"
  })
  void aCommitTouchesWhatItAddsAFileToOrAppendsTo(String name, boolean appends, boolean touched) {
    FileGroups groups = Planned.files(BASE, "/lake/t/p/" + LOG);
    HoodieCommitMetadata commit = commit(name == null ? null : "p/" + name);

    assertThat(groups.touched(commit, appends)).hasSize(touched ? 1 : 0);
  }

  @Test
  void aCommitTouchesWhatItReplaces() {
    HoodieReplaceCommitMetadata commit = new HoodieReplaceCommitMetadata();
    commit.setPartitionToReplaceFileIds(Map.of("p", List.of("f1"), "q", List.of("f1")));

    assertThat(Planned.files(BASE).touched(commit, false)).hasSize(1);
  }
}
