package io.hudizorder.plan.slice;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * The ids of the files that a group is about to be written to, made on the driver. A task that
 * Spark runs again, also beside one that ends as well, has those of the other: what either tells of
 * its files may be asked, here for the commit and there for an index. Who executes the plan once
 * more has others.
 */
public final class NewFileIds implements Serializable {

  private static final long serialVersionUID = 1L;

  private final RunId run;
  private final UUID drawn = UUID.randomUUID();

  /**
   * @param run that the files belong to
   */
  public NewFileIds(RunId run) {
    this.run = run;
  }

  /**
   * What the ids of a task's files begin with, of which Hudi ends each with its number in the task.
   *
   * @param task its number among those that write the group
   */
  public String prefix(int task) {
    byte[] name = (drawn + "\n" + task).getBytes(StandardCharsets.UTF_8);
    return run.fileId(UUID.nameUUIDFromBytes(name));
  }
}
