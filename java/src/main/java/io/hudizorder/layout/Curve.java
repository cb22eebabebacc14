package io.hudizorder.layout;

import io.hudizorder.key.Hilbert;
import io.hudizorder.key.ZValue;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** An order of rows along a curve through the space of their words. */
public enum Curve {
  /** The first column, then the second within equal values of the first, and so on. */
  LINEAR {
    @Override
    public int compare(long[] a, long[] b, int columns) {
      return Arrays.compareUnsigned(a, 0, columns, b, 0, columns);
    }

    @Override
    public byte[] key(long[] words) {
      ByteBuffer key = ByteBuffer.allocate(Long.BYTES * words.length);
      key.asLongBuffer().put(words);
      return key.array();
    }

    @Override
    public long leadingBits(long[] words, int bits) {
      return words[0];
    }
  },

  /** The Z curve (Morton 1966): bits of all columns in turn, the first column leading. */
  ZORDER {
    @Override
    public int compare(long[] a, long[] b, int columns) {
      return ZValue.compareWords(a, b, columns);
    }

    @Override
    public byte[] key(long[] words) {
      return ZValue.interleave(words);
    }

    @Override
    public long leadingBits(long[] words, int bits) {
      return ZValue.leadingBits(words);
    }
  },

  /** The Hilbert curve: like the Z curve, but neighbours on the curve are neighbours in space. */
  HILBERT {
    @Override
    public long[] comparable(long[] words, int columns) {
      long[] comparable = words.clone();
      long[] transposed = Hilbert.transpose(Arrays.copyOf(words, columns));
      System.arraycopy(transposed, 0, comparable, 0, columns);
      return comparable;
    }

    @Override
    public int compare(long[] a, long[] b, int columns) {
      return ZValue.compareWords(a, b, columns);
    }

    @Override
    public byte[] key(long[] words) {
      return Hilbert.key(words);
    }

    @Override
    public long leadingBits(long[] words, int bits) {
      return Hilbert.leadingBits(words, bits);
    }
  };

  /**
   * The words that {@link #compare} takes for those of a row: the same, unless the curve turns.
   *
   * @param words one unsigned word for each column; left unchanged
   * @param columns how many leading columns the curve runs through; the others stay as they are
   */
  public long[] comparable(long[] words, int columns) {
    return words;
  }

  /**
   * Compares two rows by the place of their first columns on the curve, without a key.
   *
   * @param a of {@link #comparable}, as {@code b} is
   * @return negative, zero or positive, as unsigned bytes of {@link #key} compare
   */
  public abstract int compare(long[] a, long[] b, int columns);

  /**
   * The place of a row on the curve.
   *
   * @param words one unsigned word for each column
   * @return 8 bytes for each column, which order as unsigned bytes
   */
  public abstract byte[] key(long[] words);

  /**
   * The first bits of {@link #key}, unsigned, at a fraction of its cost.
   *
   * @param bits how many are wanted, 1 to 64; those below them are without meaning
   */
  public abstract long leadingBits(long[] words, int bits);
}
