package io.hudizorder.plan.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.option.GroupKeys;
import io.hudizorder.plan.slice.SliceSizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.config.HoodieWriteConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PartitionChoiceTest {

  private static final int FILES = 30_000;
  private static final long FILE = 1_000_000;

  /** Of as many groups as the partition has files. */
  @Test
  @Timeout(20)
  void theNumbersOfManyGroupsTakeNoTime() {
    List<FileSlice> slices = new ArrayList<>();
    List<FileNumbers> files = new ArrayList<>();
    for (int f = 0; f < FILES; f++) {
      String id = "f" + f;
      slices.add(new FileSlice("p", "1", id));
      files.add(
          new FileNumbers(
              id,
              FILE,
              FileNumbers.LayoutState.UNKNOWN,
              null,
              "1",
              List.of(List.of((long) f, (long) f))));
    }
    PartitionChoice choice =
        new PartitionChoice(
            List.of(),
            PartitionChoice.same(slices, FileReason.FULL),
            Optional.of(new PartitionReading(files, new double[] {1}, FILE, Cutting.BY_GAIN)));
    SliceSizes sizes = new SliceSizes(HoodieWriteConfig.newBuilder().withPath("/t").build());

    double read = 0;
    for (FileSlice slice : slices) {
      Map<String, Double> metrics = choice.metrics(List.of(slice), sizes);
      assertThat(metrics).containsEntry(GroupKeys.BYTES_IN_ALL, (double) FILES * FILE);
      read += metrics.get(GroupKeys.READ_NOW);
    }

    assertThat(choice.metrics().get(GroupKeys.READ_IN_ALL) / read).isBetween(0.999, 1.001);
  }
}
