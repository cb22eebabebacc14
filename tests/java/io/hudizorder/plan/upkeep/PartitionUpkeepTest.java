package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.LayoutSpec;
import io.hudizorder.plan.slice.LogRanges;
import io.hudizorder.plan.slice.RunId;
import io.hudizorder.plan.slice.SliceSizes;
import io.hudizorder.spark.SortColumn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.StoragePathInfo;
import org.apache.hudi.storage.hadoop.HoodieHadoopStorage;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionUpkeepTest {

  private static final long FILE = 1_000_000;
  private static final String CLUSTERED = "5";
  private static final String INSERTED = "3";
  private static final MessageType SCHEMA =
      MessageTypeParser.parseMessageType("message t { required int64 a; }");
  private static final LayoutSpec SPEC =
      LayoutSpec.builder()
          .columns(List.of("a"))
          .weights(new double[] {1})
          .curve(Curve.ZORDER)
          .build(LayoutSpec.BuildMethod.SAMPLE)
          .cuts(LayoutSpec.Cuts.TREE)
          .fileOrder(LayoutSpec.FileOrder.AUTO)
          .create();
  private static final int LAYOUT = RunId.layout(SPEC, FILE);

  @TempDir Path folder;

  /**
   * A small run of a clustering, and a file of as many bytes that a bulk insert has laid out: what
   * a plan has weighed and left alone stays so; what it has not seen, or left out, does not.
   */
  @ParameterizedTest
  @CsvSource({", , 0", "p, , 2", "q, , 0", ", 3, 2", ", 4, 0"})
  void whatTheLastPlanHasNotWeighedIsJoined(String limited, String unseen, int joined)
      throws IOException {
    List<FileSlice> slices = List.of(run("any", FILE / 10), inserted(LAYOUT));

    assertThat(taken(slices, Long.MAX_VALUE, limited, unseen)).hasSize(joined);
  }

  @Test
  void whatABulkInsertHasLaidOutInAnotherWayIsLaidOutAnew() throws IOException {
    List<FileSlice> slices = List.of(run("any", FILE / 10), inserted(LAYOUT + 1));

    assertThat(taken(slices, Long.MAX_VALUE, null, null)).contains(slices.get(1).getFileId());
  }

  /** Of larger runs than a plan may be, as others that it has left out. */
  @ParameterizedTest
  @CsvSource({", false", "p, true"})
  void whereALimitHasLeftStepsOutTheNextPlanGoesOnThoughNothingWasWritten(
      String limited, boolean goesOn) throws IOException {
    List<FileSlice> slices = new ArrayList<>();
    for (int group = 0; group < 8; group++) {
      slices.add(run("group " + group, FILE));
    }

    assertThat(taken(slices, 4 * FILE, limited, null).isEmpty()).isNotEqualTo(goesOn);
  }

  /** Two runs, of which an equality reads twice as much as of one of both. */
  @ParameterizedTest
  @CsvSource({"1.5, false, 0", "1.1, false, 0", "1.1, true, 2"})
  void whatIsLaidOutIsWeighedAnewByAPlanThatWantsMoreThanTheLast(
      double threshold, boolean wantsMore, int joined) throws IOException {
    List<FileSlice> slices = List.of(run("one", FILE), run("other", FILE));
    LastPlan last = new LastPlan(CLUSTERED, 0, Set.of(), Set.of()).before(wantsMore);

    assertThat(taken(choice(slices, Long.MAX_VALUE, threshold, last))).hasSize(joined);
  }

  /** Beside a file that is new: the others are of a clustering that was planned before the last. */
  @Test
  void whatAClusteringHasLeftThatWasExecutedAfterALaterOneIsUnchanged() throws IOException {
    List<FileSlice> slices = new ArrayList<>();
    for (int file = 0; file < 4; file++) {
      String fileId = RunId.of(LAYOUT, INSERTED, "any").fileId(UUID.randomUUID()) + "-0";
      slices.add(slice(fileId, INSERTED, 4 * FILE, Map.of()));
    }
    slices.add(slice(UUID.randomUUID() + "-0", "6", FILE / 10, Map.of()));
    LastPlan last = new LastPlan(CLUSTERED, 0, Set.of(), Set.of(INSERTED));
    PartitionChoice choice = choice(slices, Long.MAX_VALUE, 1.5, last);

    assertThat(slices).extracting(choice::reason).doesNotContain(FileReason.CHANGED);
    assertThat(taken(choice)).containsExactly(slices.get(4).getFileId());
  }

  private List<String> taken(List<FileSlice> slices, long maxBytes, String limited, String unseen) {
    LastPlan last = new LastPlan(CLUSTERED, 0, setOf(limited), setOf(unseen));
    return taken(choice(slices, maxBytes, 1.5, last));
  }

  private PartitionChoice choice(
      List<FileSlice> slices, long maxBytes, double threshold, LastPlan last) {
    List<SortColumn> columns =
        SortColumn.resolve(StructType.fromDDL("a bigint"), SPEC.columns(), List.of());
    return new PartitionUpkeep(SPEC, columns, FILE, maxBytes, threshold, last, false)
        .choose(
            new HoodieHadoopStorage(folder.toString(), new Configuration()),
            slices,
            new SliceSizes(HoodieWriteConfig.newBuilder().withPath(folder.toString()).build()),
            LogRanges.UNKNOWN);
  }

  private static List<String> taken(PartitionChoice choice) {
    List<String> taken = new ArrayList<>();
    choice.steps().forEach(step -> taken.addAll(step.fileIds()));
    return taken;
  }

  private static Set<String> setOf(String some) {
    return some == null ? Set.of() : Set.of(some);
  }

  /** The one file of a run. */
  private FileSlice run(String group, long bytes) throws IOException {
    String fileId = RunId.of(LAYOUT, CLUSTERED, group).fileId(UUID.randomUUID()) + "-0";
    return slice(fileId, CLUSTERED, bytes, Map.of());
  }

  /** A file that is laid out in some way. */
  private FileSlice inserted(int layout) throws IOException {
    Map<String, String> footer = Map.of("hudizorder.layout", String.format("%08x", layout));
    return slice(UUID.randomUUID() + "-0", INSERTED, FILE / 10, footer);
  }

  /** Its values lie anywhere. */
  private FileSlice slice(String fileId, String commit, long bytes, Map<String, String> footer)
      throws IOException {
    String file = folder.resolve(fileId + "_0-0-0_" + commit + ".parquet").toString();
    try (ParquetWriter<Group> writer =
        ExampleParquetWriter.builder(new org.apache.hadoop.fs.Path(file))
            .withType(SCHEMA)
            .withExtraMetaData(footer)
            .build()) {
      for (long a : new long[] {0, 1000}) {
        writer.write(new SimpleGroupFactory(SCHEMA).newGroup().append("a", a));
      }
    }
    FileSlice slice = new FileSlice("p", commit, fileId);
    slice.setBaseFile(
        new HoodieBaseFile(
            new StoragePathInfo(new StoragePath(file), bytes, false, (short) 1, 1, 1)));
    return slice;
  }
}
