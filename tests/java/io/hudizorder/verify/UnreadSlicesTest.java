package io.hudizorder.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.WrittenTimeline;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieActiveTimeline;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.table.timeline.HoodieInstant.State;
import org.apache.hudi.common.table.timeline.HoodieTimeline;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.storage.StoragePath;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of what a clustering has written: what a later write has made the cleaner's. */
class UnreadSlicesTest {

  private static final String CLUSTERING = "20260101000000002";
  private static final String LATER = "20260101000000003";

  @TempDir Path folder;
  private HoodieTableMetaClient table;

  @BeforeEach
  void makeTable() throws Exception {
    WrittenTimeline timeline = new WrittenTimeline(folder);
    timeline.clustering(CLUSTERING, Map.of());
    table = timeline.now();
    write("p/f1_0-1-2_" + LATER + ".parquet", "p/.f2_" + LATER + ".log.1_0-3-4");
  }

  private void write(String... paths) {
    HoodieCommitMetadata commit = new HoodieCommitMetadata();
    for (String path : paths) {
      HoodieWriteStat stat = new HoodieWriteStat();
      stat.setPartitionPath("p");
      stat.setFileId(path.contains("f1") ? "f1" : "f2");
      stat.setPath(path);
      commit.addWriteStat("p", stat);
    }
    HoodieActiveTimeline timeline = table.getActiveTimeline();
    HoodieInstant requested =
        table.createNewInstant(State.REQUESTED, HoodieTimeline.COMMIT_ACTION, LATER);
    timeline.createNewInstant(requested);
    timeline.transitionRequestedToInflight(requested, Option.empty());
    timeline.saveAsComplete(
        table.createNewInstant(State.INFLIGHT, HoodieTimeline.COMMIT_ACTION, LATER),
        Option.of(commit));
  }

  private List<String> unread(String clustering) throws Exception {
    List<FileSlice> written =
        Arrays.asList(slice("p", "f1"), slice("p", "f2"), slice("p", "f3"), slice("q", "f1"));
    return UnreadSlices.of(HoodieTableMetaClient.reload(table), clustering, written).stream()
        .map(slice -> slice.getPartitionPath() + "/" + slice.getFileId())
        .collect(Collectors.toList());
  }

  private static FileSlice slice(String partition, String fileId) {
    return new FileSlice(partition, CLUSTERING, fileId);
  }

  /** Under a log queries read the base file as before. */
  @Test
  void itIsThatOfWhichThereIsANewerBaseFile() throws Exception {
    assertThat(unread(CLUSTERING)).containsExactly("p/f1");
  }

  @Test
  void itMayBeAllOfOneThatIsOlderThanTheTimeline() throws Exception {
    assertThat(unread("20251231000000000")).hasSize(4);
  }

  @Test
  void aFileThatIsMissingIsLostUnlessTheCleanerMayHaveTakenIt() throws Exception {
    List<FileSlice> replaced = List.of(withFile("p", "f0"));
    List<FileSlice> written = List.of(withFile("p", "f1"), withFile("p", "f3"));

    MissingFiles missing =
        MissingFiles.of(
            HoodieTableMetaClient.reload(table),
            CLUSTERING,
            FileNames.onStorage(table.getStorage(), FileNames.folders(replaced, written)),
            replaced,
            written);

    assertThat(missing.cleaned())
        .extracting(StoragePath::getName)
        .containsExactlyInAnyOrder("f0.parquet", "f1.parquet");
    assertThat(missing.lost()).extracting(StoragePath::getName).containsExactly("f3.parquet");
  }

  /** Of which storage has no file. */
  private FileSlice withFile(String partition, String fileId) {
    FileSlice slice = slice(partition, fileId);
    Path file = folder.resolve(partition).resolve(fileId + ".parquet");
    slice.setBaseFile(new HoodieBaseFile(file.toString()));
    return slice;
  }
}
