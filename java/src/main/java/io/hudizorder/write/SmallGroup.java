package io.hudizorder.write;

import io.hudizorder.read.TaskInput;
import java.io.Serializable;
import java.util.concurrent.Callable;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.spark.TaskKilledException;

/** One of {@link SmallGroups}, as its task gets it: by Kryo, which knows no immutable lists. */
final class SmallGroup implements Serializable {

  private static final long serialVersionUID = 1L;

  final int number;
  final TaskInput input;
  final double[] weights;
  final RowFiles.OfGroup files;

  SmallGroup(int number, TaskInput input, double[] weights, RowFiles.OfGroup files) {
    this.number = number;
    this.input = input;
    this.weights = weights;
    this.files = files;
  }

  /** What a task does with the group, which is named by what fails. */
  <V> V named(Callable<V> work) {
    try {
      return work.call();
    } catch (TaskKilledException | HoodieClusteringException complete) {
      throw complete;
    } catch (Exception e) {
      throw new HoodieClusteringException("Cannot cluster " + name() + ": " + why(e), e);
    }
  }

  private String name() {
    return files.partitionPath().isEmpty()
        ? "the table's files"
        : String.format("the files of partition '%s'", files.partitionPath());
  }

  /** Of a file that cannot be read only the cause says why. */
  private static String why(Exception e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String message = String.valueOf(e.getMessage());
    if (!message.endsWith("Details:")) {
      return message;
    }
    // That a buffer or a file has ended its kind says alone.
    return message + " " + (root.getMessage() == null ? root : root.getMessage());
  }
}
