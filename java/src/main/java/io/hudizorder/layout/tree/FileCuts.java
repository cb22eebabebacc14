package io.hudizorder.layout.tree;

import java.io.Serializable;
import java.util.Optional;

/**
 * Which file each row of a clustering group goes to.
 *
 * <p>Cuts are learnt once, from a sample, on the driver; they are immutable and thread-safe, and
 * the executors only ask it. The answer depends on the words of the row alone, so that a retried
 * task sends every row where the first attempt sent it.
 */
public interface FileCuts extends Serializable {

  /**
   * Number of files, at least 1; fewer than were asked for where the sample cannot be cut further.
   */
  int files();

  /**
   * The file of a row.
   *
   * @param words one unsigned word for each column, in the order the cuts were learnt with; 0 is
   *     null
   * @return a number in {@code [0, files())}
   */
  int fileOf(long[] words);

  /** The boxes that the files keep to, whatever rows there are; none where they keep to none. */
  default Optional<LeafBoxes> boxes() {
    return Optional.empty();
  }

  /** What queries read of these cuts, where they were made for some; known where they were made. */
  default Optional<QueryShares> queryShares() {
    return Optional.empty();
  }
}
