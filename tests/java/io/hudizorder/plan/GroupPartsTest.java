package io.hudizorder.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.option.GroupKeys;
import io.hudizorder.option.PlanVersion;
import io.hudizorder.plan.slice.SliceSizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.avro.model.HoodieClusteringGroup;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.avro.model.HoodieClusteringStrategy;
import org.apache.hudi.avro.model.HoodieSliceInfo;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.StoragePathInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GroupPartsTest {

  private static final long MOST = 100;

  private static FileSlice slice(String fileId, long bytes) {
    FileSlice slice = new FileSlice("p", "1", fileId);
    slice.setBaseFile(
        new HoodieBaseFile(
            new StoragePathInfo(
                new StoragePath("/t/p/" + fileId + "_0-0-0_1.parquet"),
                bytes,
                false,
                (short) 1,
                1,
                1)));
    return slice;
  }

  private static List<List<FileSlice>> divided(Long... bytes) {
    List<FileSlice> slices = new ArrayList<>();
    for (long size : bytes) {
      slices.add(slice("f" + slices.size(), size));
    }
    SliceSizes sizes = new SliceSizes(HoodieWriteConfig.newBuilder().withPath("/t").build());
    return GroupParts.divide(slices, sizes, MOST);
  }

  @Test
  void aPartHasAsManyBytesAsItMayHaveUnlessOneFileHasMore() {
    assertThat(divided(60L, 40L, 1L, 99L, 2L, 300L, 3L))
        .extracting(part -> part.stream().map(FileSlice::getFileId).collect(Collectors.toList()))
        .containsExactly(
            List.of("f0", "f1"), List.of("f2", "f3"), List.of("f4"), List.of("f5"), List.of("f6"));
  }

  @Test
  void whatIsNotDividedIsPartOfNothing() {
    assertThat(GroupParts.toMetadata(divided(60L, 40L))).isEmpty();
    assertThat(GroupParts.toMetadata(divided(60L, 41L))).containsValue("f0").hasSize(1);
  }

  private static HoodieClusteringGroup group(
      int files, Map<String, String> said, String partition, String... fileIds) {
    return HoodieClusteringGroup.newBuilder()
        .setSlices(
            Stream.of(fileIds)
                .map(id -> HoodieSliceInfo.newBuilder().setPartitionPath(partition).setFileId(id))
                .map(HoodieSliceInfo.Builder::build)
                .collect(Collectors.toList()))
        .setNumOutputFileGroups(files)
        .setExtraMetadata(said)
        .build();
  }

  /** The file groups of each whole, and how many it is to become. */
  private static List<String> joined(boolean ours, HoodieClusteringGroup... groups) {
    Map<String, String> parameters = ours ? Map.of(PlanVersion.KEY, "1") : Map.of("any", "1");
    HoodieClusteringPlan plan =
        HoodieClusteringPlan.newBuilder()
            .setInputGroups(List.of(groups))
            .setStrategy(
                HoodieClusteringStrategy.newBuilder().setStrategyParams(parameters).build())
            .build();
    return GroupParts.joined(plan).stream()
        .map(
            whole ->
                whole.getSlices().stream()
                    .map(HoodieSliceInfo::getFileId)
                    .collect(Collectors.joining("+", "", " to " + whole.getNumOutputFileGroups())))
        .collect(Collectors.toList());
  }

  @Test
  void partsOfAWholeAreJoinedInThePlaceOfTheFirst() {
    Map<String, String> of = GroupParts.toMetadata(divided(60L, 41L));

    assertThat(
            joined(
                true,
                group(2, of, "p", "f0", "f1"),
                group(1, Map.of(), "p", "g"),
                group(4, of, "q", "f0"),
                group(3, of, "p", "f2"),
                group(1, null, "p", "h")))
        .containsExactly("f0+f1+f2 to 5", "g to 1", "f0 to 4", "h to 1");
  }

  /** Of a part that is smaller than a file Hudi still wants one. */
  @ParameterizedTest
  @CsvSource({"0, 1, f0+f1 to 1", "1, 0, f0+f1 to 1", "1, 2, f0+f1 to 3", "0, 0, f0+f1 to 1"})
  void aWholeBecomesAsManyFilesAsItsPartsAddToIt(double one, double other, String whole) {
    Map<String, String> of = GroupParts.toMetadata(divided(60L, 41L));
    HoodieClusteringGroup first = group(1, of, "p", "f0");
    HoodieClusteringGroup second = group(2, of, "p", "f1");
    first.setMetrics(Map.of(GroupKeys.FILES, one));
    second.setMetrics(Map.of(GroupKeys.FILES, other));

    assertThat(joined(true, first, second)).containsExactly(whole);
  }

  /** Hudi's divide partitions, but for one that sorts each file and leaves it in place. */
  @ParameterizedTest
  @CsvSource({"1, c to 1", "2, a+b+c to 4"})
  void thoseOfOtherStrategiesAreJoinedPerPartition(int files, String last) {
    List<String> joined =
        joined(
            false,
            group(2, null, "p", "a", "b"),
            group(1, null, "q", "d", "e"),
            group(files, null, "p", "c"));

    assertThat(joined).contains(last, "d+e to 1").hasSize(files == 1 ? 3 : 2);
  }
}
