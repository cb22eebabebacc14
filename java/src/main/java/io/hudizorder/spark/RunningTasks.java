package io.hudizorder.spark;

import java.util.Arrays;
import java.util.Properties;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.scheduler.TaskSetManager;

/**
 * Tasks whose executors have not told of their end. A job has ended long before the last of them: a
 * killed task runs until it notices, as does one that another attempt has overtaken. What Spark
 * shows in public lags behind, and forgets tasks under load, so that this asks the scheduler.
 */
public final class RunningTasks {

  /** The property of a job that holds its tags, separated by commas. */
  private static final String TAGS = "spark.job.tags";

  private RunningTasks() {}

  /** How many tasks run of jobs with a tag; none when the context was stopped. */
  public static long count(SparkContext spark, String tag) {
    TaskSchedulerImpl scheduler = (TaskSchedulerImpl) spark.taskScheduler();
    if (spark.isStopped() || scheduler == null) {
      return 0;
    }
    return scheduler.taskIdToTaskSetManager().values().stream()
        .filter(tasks -> isTagged(tasks, tag))
        .count();
  }

  private static boolean isTagged(TaskSetManager tasks, String tag) {
    Properties properties = tasks.taskSet().properties();
    return properties != null
        && Arrays.asList(properties.getProperty(TAGS, "").split(",")).contains(tag);
  }
}
