package io.hudizorder.concurrency;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.data.HoodieData.HoodieDataCacheKey;
import org.apache.spark.Partition;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import scala.collection.Iterator;
import scala.reflect.ClassTag$;

/**
 * Runs something when Hudi has committed an instant, on the thread that did, after its lock was
 * released; what it throws reaches whoever asked for the commit.
 *
 * <p>Hudi tells nobody of a clustering's commit, nor lets anything be run after it. The last thing
 * that it does is to unpersist every RDD that was cached under the instant's name; this is one, of
 * no rows, that tells of it.
 */
final class AfterCommit extends RDD<Object> {

  private static final long serialVersionUID = 1L;

  /** Spark refers to a cached RDD weakly: they are held here, the latest of each instant. */
  private static final Map<HoodieDataCacheKey, AfterCommit> WAITING = new ConcurrentHashMap<>();

  private final transient HoodieDataCacheKey instant;
  private final transient Runnable task;

  private AfterCommit(HoodieSparkEngineContext engine, HoodieDataCacheKey instant, Runnable task) {
    super(engine.getJavaSparkContext().emptyRDD().rdd(), ClassTag$.MODULE$.apply(Object.class));
    this.instant = instant;
    this.task = task;
  }

  /** Runs a task once an instant of a table has been committed, or its commit has failed. */
  static void run(HoodieSparkEngineContext engine, String table, String instant, Runnable task) {
    HoodieDataCacheKey key = HoodieDataCacheKey.of(table, instant);
    AfterCommit waiting = new AfterCommit(engine, key, task);
    waiting.cache();
    WAITING.put(key, waiting);
    engine.putCachedDataIds(key, waiting.id());
  }

  @Override
  public RDD<Object> unpersist(boolean blocking) {
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
