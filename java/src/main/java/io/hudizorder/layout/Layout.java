package io.hudizorder.layout;

import java.io.Serializable;

/**
 * Which file each row of a clustering group goes to.
 *
 * <p>A layout is learnt once, from a sample, on the driver; it is immutable and thread-safe, and
 * the executors only ask it. The answer depends on the words of the row alone, so that a retried
 * task sends every row where the first attempt sent it.
 */
public interface Layout extends Serializable {

  /**
   * Number of files, at least 1; fewer than were asked for where the sample cannot be cut further.
   */
  int files();

  /**
   * The file of a row.
   *
   * @param words one unsigned word for each column, in the order the layout was built with; 0 is
   *     null
   * @return a number in {@code [0, files())}
   */
  int fileOf(long[] words);

  /**
   * Replaces each word of a row by its place within the box of the row's file, from 0 to 2^64, so
   * that a curve through the file sees the whole of it and nothing else. Layouts whose files are no
   * boxes leave the words as they are.
   *
   * @param file of the row: what {@link #fileOf} says of its words
   * @param words as {@link #fileOf} takes them
   */
  default void stretch(int file, long[] words) {}
}
