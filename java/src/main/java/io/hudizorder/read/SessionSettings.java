package io.hudizorder.read;

import static scala.collection.JavaConverters.mapAsJavaMap;

import java.io.Serializable;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.internal.SQLConf;

/**
 * The settings of the session that asks, for tasks that look them up row by row, as Hudi's reader
 * does for the calendar of old dates in logs, and its writer. Spark tells them to tasks of a
 * tracked query alone; those of a shuffle that adaptive execution starts for an RDD know none.
 */
public final class SessionSettings implements Serializable {

  private static final long serialVersionUID = 1L;

  private final Map<String, String> settings;

  /** Made once for all rows of a task, which has this object for itself. */
  private transient SQLConf conf;

  public SessionSettings(SparkSession session) {
    this.settings = new HashMap<>(mapAsJavaMap(session.sessionState().conf().getAllConfs()));
  }

  /** What is opened, and gone through, as the session has it. */
  public <T> Iterator<T> within(Supplier<Iterator<T>> open) {
    Iterator<T> items = ask(open);
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return ask(items::hasNext);
      }

      @Override
      public T next() {
        return ask(items::next);
      }
    };
  }

  private <V> V ask(Supplier<V> question) {
    if (conf == null) {
      conf = new SQLConf();
      settings.forEach(conf::setConfString);
    }
    return SQLConf.withExistingConf(conf, question::get);
  }
}
