package io.hudizorder.spark.shuffle;

import io.hudizorder.layout.Layout;
import io.hudizorder.layout.RowOrder;
import io.hudizorder.layout.tree.FileCuts;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Which task writes a row: the layouts of a table's partitions, and the tasks their files go to.
 *
 * <p>A partition of several files has a task a file. Partitions of one file share tasks, so that
 * many small ones make neither many tasks nor more than a file each.
 */
public final class TaskRouter implements Serializable {

  private static final long serialVersionUID = 1L;

  /** A partition's layout, and the task of its first file; the others follow. */
  private static final class Place implements Serializable {
    private static final long serialVersionUID = 1L;

    private final FileCuts cuts;
    private final RowOrder order;
    private final int firstTask;

    Place(Layout layout, int firstTask) {
      this.cuts = layout.cuts();
      this.order = layout.order();
      this.firstTask = firstTask;
    }

    int taskOf(long[] words) {
      return cuts.files() == 1 ? firstTask : firstTask + cuts.fileOf(words);
    }
  }

  /** The place of rows that are not told apart by partition; else null. */
  private final Place only;

  private final Map<UTF8String, Place> places;
  private final int tasks;

  /** The order of rows whose partition the sample has not seen. */
  private final RowOrder unseen;

  /** The first of the tasks that partitions share. */
  private final int firstShared;

  private TaskRouter(
      Place only, Map<UTF8String, Place> places, RowOrder unseen, int firstShared, int tasks) {
    this.only = only;
    this.places = places;
    this.unseen = unseen;
    this.firstShared = firstShared;
    this.tasks = tasks;
  }

  /** One layout for all rows, a task a file. */
  public static TaskRouter of(Layout layout) {
    int files = layout.cuts().files();
    return new TaskRouter(new Place(layout, 0), Map.of(), layout.order(), files, files);
  }

  /**
   * Deals files out to tasks.
   *
   * @param paths partitions, each once
   * @param layouts a layout for each
   * @param unseen the order of rows of other partitions
   * @param bytes about how many bytes each takes; what the tasks that partitions share are levelled
   *     by, the heaviest partition first to the lightest task (R. Graham's rule)
   * @param most bytes of a shared task, as far as partitions can be told apart
   * @param wanted tasks that keep the cluster busy, if there are so many files
   */
  public static TaskRouter deal(
      List<UTF8String> paths,
      List<Layout> layouts,
      RowOrder unseen,
      double[] bytes,
      double most,
      int wanted) {
    Map<UTF8String, Place> places = new HashMap<>();
    List<Integer> single = new ArrayList<>();
    int next = 0;
    for (int p = 0; p < layouts.size(); p++) {
      int files = layouts.get(p).cuts().files();
      if (files == 1) {
        single.add(p);
      } else {
        places.put(paths.get(p), new Place(layouts.get(p), next));
        next += files;
      }
    }
    int shared = sharedTasks(single, bytes, most, wanted - next);
    int firstShared = next;
    PriorityQueue<double[]> lightest =
        new PriorityQueue<>(
            Comparator.<double[]>comparingDouble(task -> task[1]).thenComparing(task -> task[0]));
    for (int task = 0; task < shared; task++) {
      lightest.add(new double[] {firstShared + task, 0});
    }
    single.sort(Comparator.<Integer>comparingDouble(p -> -bytes[p]).thenComparing(paths::get));
    for (int p : single) {
      double[] task = lightest.remove();
      places.put(paths.get(p), new Place(layouts.get(p), (int) task[0]));
      task[1] += bytes[p];
      lightest.add(task);
    }
    return new TaskRouter(null, places, unseen, firstShared, firstShared + shared);
  }

  /** At least one: it takes the rows of partitions that the sample has not seen. */
  private static int sharedTasks(List<Integer> single, double[] bytes, double most, int wanted) {
    double total = single.stream().mapToDouble(p -> bytes[p]).sum();
    int needed = (int) Math.min(single.size(), Math.ceil(total / most));
    return Math.max(1, Math.max(needed, Math.min(wanted, single.size())));
  }

  int tasks() {
    return tasks;
  }

  /**
   * The task of a row.
   *
   * @param path its partition; ignored where rows are not told apart by it
   * @param words its words, the tie-breaker last
   */
  int taskOf(UTF8String path, long[] words) {
    Place place = find(path);
    return place == null
        ? firstShared + Math.floorMod(path.hashCode(), tasks - firstShared)
        : place.taskOf(words);
  }

  /**
   * The place of a row within its file; see {@link RowOrder#shortKey}.
   *
   * @param task of the row: what {@link #taskOf} says of its words
   */
  long shortKeyOf(UTF8String path, int task, long[] words) {
    Place place = find(path);
    return place == null
        ? unseen.shortKey(0, words)
        : place.order.shortKey(task - place.firstTask, words);
  }

  /** The same to the last bit; see {@link RowOrder#key}. */
  byte[] keyOf(UTF8String path, int task, long[] words) {
    Place place = find(path);
    return place == null ? unseen.key(0, words) : place.order.key(task - place.firstTask, words);
  }

  private Place find(UTF8String path) {
    return only == null ? places.get(path) : only;
  }
}
