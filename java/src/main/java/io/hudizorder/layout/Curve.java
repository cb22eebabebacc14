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
    public int compare(long[] a, long[] b) {
      for (int c = 0; c < a.length; c++) {
        int order = Long.compareUnsigned(a[c], b[c]);
        if (order != 0) {
          return order;
        }
      }
      return 0;
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
    public int compare(long[] a, long[] b) {
      return ZValue.compareWords(a, b);
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
    public int compare(long[] a, long[] b) {
      return Arrays.compareUnsigned(key(a), key(b));
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
   * Compares two rows of the same columns by their place on the curve.
   *
   * @return negative, zero or positive, as {@code Arrays.compareUnsigned(key(a), key(b))}
   */
  public abstract int compare(long[] a, long[] b);

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
