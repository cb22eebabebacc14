package io.hudizorder.concurrency;

import io.hudizorder.hudi.Folders;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.data.HoodieData.HoodieDataCacheKey;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.storage.StoragePath;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import scala.collection.Iterator;
import scala.reflect.ClassTag$;

/**
 * Runs something when Hudi has committed an instant, on the thread that did, after its lock was
 * released; what it throws reaches whoever asked for the commit. And something under that lock,
 * just before, where the conflicts are looked for that a strategy of ours resolves.
 *
 * <p>Hudi tells nobody of a clustering's commit, nor lets anything be run after it. It ends by
 * unpersisting every RDD that was cached under the instant's name; this is one, of no rows, that
 * tells of it. Hudi does so in a {@code finally}, also where the commit has failed, and before it
 * deletes the markers: what the task throws hides why the commit failed, and leaves the markers.
 */
final class AfterCommit extends RDD<Object> {

  private static final long serialVersionUID = 1L;

  /**
   * Spark refers to a cached RDD weakly: they are held here, by the path of their instant's table
   * and the instant, the latest of each.
   */
  private static final Map<StoragePath, AfterCommit> WAITING = new ConcurrentHashMap<>();

  private final transient StoragePath instant;
  private final transient Consumer<HoodieTableMetaClient> look;
  private final transient Runnable task;
  private final transient Runnable otherwise;

  /** That commits: others may free what is cached, as a stream does after a batch that failed. */
  private final transient Thread committer = Thread.currentThread();

  private AfterCommit(
      HoodieSparkEngineContext engine,
      StoragePath instant,
      Consumer<HoodieTableMetaClient> look,
      Runnable task,
      Runnable otherwise) {
    super(engine.getJavaSparkContext().emptyRDD().rdd(), ClassTag$.MODULE$.apply(Object.class));
    this.instant = instant;
    this.look = look;
    this.task = task;
    this.otherwise = otherwise;
  }

  /**
   * Runs a task once an instant of a table has been committed, or its commit has failed.
   *
   * @param look is run {@link #underLock}
   * @param otherwise is run instead where the commit is {@link #cancel}led
   */
  static void run(
      HoodieSparkEngineContext engine,
      String table,
      String instant,
      Consumer<HoodieTableMetaClient> look,
      Runnable task,
      Runnable otherwise) {
    StoragePath key = new StoragePath(table, instant);
    AfterCommit waiting = new AfterCommit(engine, key, look, task, otherwise);
    waiting.cache();
    WAITING.put(key, waiting);
    engine.putCachedDataIds(HoodieDataCacheKey.of(table, instant), waiting.id());
  }

  /**
   * Looks, under the lock under which this thread is about to commit, before Hudi has changed
   * anything.
   *
   * @param table as it is under the lock
   */
  static void underLock(HoodieTableMetaClient table, String instant) {
    AfterCommit waiting = WAITING.get(new StoragePath(Folders.base(table), instant));
    if (waiting != null && waiting.committer == Thread.currentThread()) {
      waiting.look.accept(table);
    }
  }

  /** Waits no more for a commit that Hudi never came to: it had something to write before. */
  static void cancel(StoragePath table, String instant) {
    taken(table, instant).ifPresent(waiting -> waiting.otherwise.run());
  }

  /** Waits no more for the end of a commit that is made, but did not release its lock. */
  static void now(StoragePath table, String instant) {
    taken(table, instant).ifPresent(waiting -> waiting.task.run());
  }

  private static Optional<AfterCommit> taken(StoragePath table, String instant) {
    return Optional.ofNullable(WAITING.remove(new StoragePath(table, instant)));
  }

  @Override
  public RDD<Object> unpersist(boolean blocking) {
    if (Thread.currentThread() != committer) {
      return this;
    }
    super.unpersist(blocking);
    if (WAITING.remove(instant, this)) {
      task.run();
    }
    return this;
  }

  @Override
  public Iterator<Object> compute(Partition split, TaskContext context) {
    throw new UnsupportedOperationException("has no rows");
  }

  @Override
  public Partition[] getPartitions() {
    return new Partition[0];
  }
}
