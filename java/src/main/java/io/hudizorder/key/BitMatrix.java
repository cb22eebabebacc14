package io.hudizorder.key;

/**
 * Interleaving as the transposition of a bit matrix, for any number of columns and either way.
 *
 * <p>Row i of the matrix is the word of column i; row b of its transpose is level b, the b-th bits,
 * counted from the top, of all words. A z-value is the levels one after another: here as blocks of
 * 64 bits, as many as there are columns. More than 64 columns take two matrices, whose levels
 * alternate.
 */
final class BitMatrix {

  private BitMatrix() {}

  /** Words to blocks. */
  static long[] interleave(long[] words) {
    int columns = words.length;
    long[] blocks = new long[columns];
    for (int first = 0; first < columns; first += 64) {
      int width = Math.min(64, columns - first);
      long[] levels = new long[64];
      System.arraycopy(words, first, levels, 0, width);
      transpose(levels);
      for (int level = 0; level < 64; level++) {
        int bit = level * columns + first;
        int block = bit >>> 6;
        int offset = bit & 63;
        blocks[block] |= levels[level] >>> offset;
        if (offset + width > 64) {
          blocks[block + 1] |= levels[level] << (64 - offset);
        }
      }
    }
    return blocks;
  }

  /** Blocks to words: the inverse. */
  static long[] deinterleave(long[] blocks) {
    int columns = blocks.length;
    long[] words = new long[columns];
    for (int first = 0; first < columns; first += 64) {
      int width = Math.min(64, columns - first);
      long[] levels = new long[64];
      for (int level = 0; level < 64; level++) {
        int bit = level * columns + first;
        int block = bit >>> 6;
        int offset = bit & 63;
        levels[level] = blocks[block] << offset;
        if (offset + width > 64) {
          levels[level] |= blocks[block + 1] >>> (64 - offset);
        }
      }
      // What follows this level's bits ends up in rows beyond the width.
      transpose(levels);
      System.arraycopy(levels, 0, words, first, width);
    }
    return words;
  }

  /**
   * Transposes a 64 x 64 bit matrix in place: exchanges two quadrants, then two quadrants of each
   * quadrant, down to single bits (H. S. Warren, Hacker's Delight, 2nd edition, 7-3).
   */
  private static void transpose(long[] rows) {
    long right = 0x00000000FFFFFFFFL;
    for (int size = 32; size != 0; size >>= 1, right ^= right << size) {
      for (int row = 0; row < 64; row = (row + size + 1) & ~size) {
        long exchange = (rows[row] ^ (rows[row + size] >>> size)) & right;
        rows[row] ^= exchange;
        rows[row + size] ^= exchange << size;
      }
    }
  }
}
