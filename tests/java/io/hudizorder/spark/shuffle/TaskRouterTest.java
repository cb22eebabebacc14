package io.hudizorder.spark.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.hudizorder.layout.Curve;
import io.hudizorder.layout.CurveOrder;
import io.hudizorder.layout.Layout;
import io.hudizorder.layout.RowOrder;
import io.hudizorder.layout.tree.FileCuts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

class TaskRouterTest {

  @Test
  void aPartitionOfSeveralFilesHasATaskAFile() {
    TaskRouter tasks = deal(List.of("a", "b"), new int[] {3, 2}, new double[] {300, 200}, 1);

    assertThat(tasks("a", tasks, 3)).containsExactly(0, 1, 2);
    assertThat(tasks("b", tasks, 2)).containsExactly(3, 4);
  }

  @Test
  void smallPartitionsShareTasksThatAreNoFullerThanAFile() {
    List<String> paths = paths(50);
    double[] bytes = new double[50];
    Arrays.fill(bytes, 11);

    TaskRouter tasks = deal(paths, ones(50), bytes, 1);

    assertThat(tasks.tasks()).isEqualTo(6);
    assertThat(load(tasks, paths, bytes)).allMatch(load -> load <= 100);
  }

  @Test
  void aBusierClusterGetsMoreSharedTasksButNoneWithoutAPartition() {
    double[] bytes = {1, 1, 1, 1};

    assertThat(deal(paths(4), ones(4), bytes, 3).tasks()).isEqualTo(3);
    assertThat(deal(paths(4), ones(4), bytes, 9).tasks()).isEqualTo(4);
    assertThat(deal(paths(4), new int[] {5, 1, 1, 1}, bytes, 6).tasks()).isEqualTo(6);
  }

  @Test
  void sharedTasksAreLevelled() {
    List<String> paths = paths(6);
    double[] bytes = {50, 10, 40, 20, 30, 30};

    assertThat(load(deal(paths, ones(6), bytes, 3), paths, bytes))
        .containsExactly(60.0, 60.0, 60.0);
  }

  @Test
  void aPartitionThatTheSampleHasNotSeenSharesATask() {
    TaskRouter tasks = deal(List.of("a", "b"), new int[] {3, 1}, new double[] {300, 1}, 1);
    TaskRouter noneShared = deal(List.of("a"), new int[] {3}, new double[] {300}, 1);

    assertThat(tasks("unseen", tasks, 1)).isEqualTo(tasks("b", tasks, 1)).containsExactly(3);
    assertThat(tasks("unseen", noneShared, 1)).containsExactly(3);
    assertThat(noneShared.tasks()).isEqualTo(4);
  }

  @Test
  void anEmptyTableIsOneTask() {
    assertThat(deal(List.of(), new int[0], new double[0], 8).tasks()).isEqualTo(1);
  }

  @Test
  void aRowIsPlacedByTheFileItsTaskWritesAndByTheTableWhereNobodyKnowsItsPartition() {
    RowOrder byFile =
        new RowOrder() {
          private static final long serialVersionUID = 1L;

          @Override
          public long place(int file, long[] words) {
            return (long) file << PLACE_BITS;
          }

          @Override
          public byte[] key(int file, long[] words) {
            return new byte[] {(byte) file};
          }
        };
    List<Layout> layouts =
        Stream.of(3, 1, 2)
            .map(files -> new Layout(byFirstWord(files), byFile))
            .collect(Collectors.toList());
    List<UTF8String> paths =
        Stream.of("a", "b", "c").map(UTF8String::fromString).collect(Collectors.toList());
    TaskRouter tasks =
        TaskRouter.deal(
            paths, layouts, CurveOrder.of(Curve.LINEAR), new double[] {3, 1, 2}, 100, 1);
    int[] files = {3, 1, 2};
    for (int p = 0; p < files.length; p++) {
      for (int file = 0; file < files[p]; file++) {
        long[] words = {file, 0, 9};
        int task = tasks.taskOf(paths.get(p), words);
        assertThat(tasks.shortKeyOf(paths.get(p), task, words))
            .isEqualTo((long) file << 32 | 9 ^ Long.MIN_VALUE);
        assertThat(tasks.keyOf(paths.get(p), task, words)).containsExactly(file);
      }
    }
    long[] words = {7L << 40, 0, 9};
    int task = tasks.taskOf(UTF8String.fromString("unseen"), words);
    assertThat(tasks.shortKeyOf(UTF8String.fromString("unseen"), task, words))
        .isEqualTo(7L << 40 | 9 ^ Long.MIN_VALUE);
    assertThat(tasks.keyOf(UTF8String.fromString("unseen"), task, words))
        .isEqualTo(Curve.LINEAR.key(new long[] {7L << 40, 0}));
  }

  /** Files of at most 100 bytes. */
  private static TaskRouter deal(List<String> paths, int[] files, double[] bytes, int wanted) {
    List<Layout> layouts =
        Arrays.stream(files)
            .mapToObj(TaskRouterTest::byFirstWord)
            .map(layout -> new Layout(layout, CurveOrder.of(Curve.ZORDER)))
            .collect(Collectors.toList());
    return TaskRouter.deal(
        paths.stream().map(UTF8String::fromString).collect(Collectors.toList()),
        layouts,
        CurveOrder.of(Curve.LINEAR),
        bytes,
        100,
        wanted);
  }

  private static FileCuts byFirstWord(int files) {
    return new FileCuts() {
      private static final long serialVersionUID = 1L;

      @Override
      public int files() {
        return files;
      }

      @Override
      public int fileOf(long[] words) {
        return (int) words[0];
      }
    };
  }

  private static List<Integer> tasks(String path, TaskRouter tasks, int files) {
    return IntStream.range(0, files)
        .mapToObj(file -> tasks.taskOf(UTF8String.fromString(path), new long[] {file}))
        .collect(Collectors.toList());
  }

  private static List<Double> load(TaskRouter tasks, List<String> paths, double[] bytes) {
    double[] load = new double[tasks.tasks()];
    for (int p = 0; p < bytes.length; p++) {
      load[tasks(paths.get(p), tasks, 1).get(0)] += bytes[p];
    }
    return Arrays.stream(load).boxed().collect(Collectors.toList());
  }

  private static int[] ones(int count) {
    int[] ones = new int[count];
    Arrays.fill(ones, 1);
    return ones;
  }

  private static List<String> paths(int count) {
    return new ArrayList<>(
        IntStream.range(0, count).mapToObj(i -> "p=" + i).collect(Collectors.toList()));
  }
}
