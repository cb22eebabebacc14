package io.hudizorder.plan;

import java.util.List;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.function.SerializableFunction;

/**
 * Spark for who makes a plan: Hudi asks for a task of its own for each partition, and each brings
 * the table and its configuration along, which takes longer than to look at a partition where
 * nothing is to be done.
 */
public final class PlanningEngine extends HoodieSparkEngineContext {

  /** So that no core waits long for the task that takes longest. */
  private static final int TASKS_A_CORE = 4;

  /** At least, for a cluster that has yet to grow. */
  private static final int TASKS = 200;

  private PlanningEngine(HoodieSparkEngineContext spark) {
    super(spark.jsc(), spark.getSqlContext());
  }

  /** That of a plan, where its engine is Spark. */
  public static HoodieEngineContext of(HoodieEngineContext engine) {
    return engine instanceof HoodieSparkEngineContext
        ? new PlanningEngine((HoodieSparkEngineContext) engine)
        : engine;
  }

  @Override
  public <I, O> List<O> map(List<I> data, SerializableFunction<I, O> each, int tasks) {
    int enough = TASKS_A_CORE * jsc().defaultParallelism();
    return super.map(
        data, each, Math.min(tasks, jsc().isLocal() ? enough : Math.max(TASKS, enough)));
  }
}
