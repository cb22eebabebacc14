package io.hudizorder.layout;

import java.io.Serializable;

/**
 * Where rows lie inside their files, for pages and row groups to be skipped by.
 *
 * <p>Immutable and thread-safe, like the {@link io.hudizorder.layout.tree.FileCuts} whose files it
 * orders; the answer depends on the file and the words of the row alone.
 */
public interface RowOrder extends Serializable {

  /** Leading bits of {@link #place} that tell rows apart. */
  int PLACE_BITS = Integer.SIZE;

  /**
   * The place of a row within its file, unsigned; for words of which the leading bits differ.
   *
   * @param file that the layout gave the row
   * @param words as {@link io.hudizorder.layout.tree.FileCuts#fileOf} takes them, the tie-breaker
   *     last; left unchanged
   * @return the place in the leading {@link #PLACE_BITS}; the bits below are without meaning
   */
  long place(int file, long[] words);

  /**
   * The place of a row within its file as bytes that order unsigned and tell apart what {@link
   * #place} may not; for words whose differences lie anywhere.
   */
  byte[] key(int file, long[] words);

  /**
   * The place as a signed long that sorts by itself: the leading {@link #PLACE_BITS} of it, and
   * below them as many of the tie-breaker. 2^32 places tell more rows apart than pages need. A
   * single column's word is its place to the last bit, and leaves no room for a tie-breaker.
   */
  default long shortKey(int file, long[] words) {
    int columns = words.length - 1;
    if (columns == 1) {
      return words[0] ^ Long.MIN_VALUE;
    }
    long place = place(file, words) & -1L << PLACE_BITS;
    // The leading bits of a tie-breaker are alike where it has cut files apart.
    long tie = words[columns] & -1L >>> PLACE_BITS;
    return (place | tie) ^ Long.MIN_VALUE;
  }
}
