package io.hudizorder.parquet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.apache.hudi.common.bloom.BloomFilter;
import org.apache.hudi.common.bloom.BloomFilterFactory;
import org.apache.hudi.common.bloom.BloomFilterTypeCode;
import org.apache.hudi.common.config.HoodieConfig;
import org.apache.hudi.common.config.HoodieStorageConfig;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.hash.Hash;

/**
 * The Bloom filter of a file's record keys, at a fraction of the time that Hudi's takes, and as
 * large as the file's keys need: bit for bit the one Hudi would have written, had it been told
 * their number. It is never larger than Hudi is told to make it, which by default is 430 KB a file.
 *
 * <p>Hudi's filter (Hadoop's, with the MurmurHash 2.0 of Austin Appleby) hashes a key some 30
 * times, each time from the hash before, so that a processor waits for one multiplication after the
 * other. Here the words of a key are mixed once for all its hashes, and a batch of keys is hashed
 * side by side, in loops that a compiler turns into vector instructions. Bits are stored by the
 * word.
 *
 * <p>Not safe for use by several threads, like Hudi's own.
 */
public final class RecordKeyBloomFilter implements BloomFilter {

  /** Keys hashed side by side; fewer fill vectors badly, more win little. */
  private static final int BATCH = 128;

  /** Bytes of a key beyond which it is hashed by itself: a batch takes 256 times its longest. */
  private static final int LONGEST_OF_BATCH = 1024;

  /** Bytes of keys that are kept to be counted; files of more have filters of full size. */
  private static final int MOST_KEPT_BYTES = 4 << 20;

  private static final int M = 0x5bd1e995;
  private static final int R = 24;

  /** Hadoop's mark of the format; the format before it had no mark. */
  private static final int FORMAT = -1;

  private static final int HEADER_BYTES = 3 * Integer.BYTES + 1;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final BloomFilterTypeCode type;
  private final int mostEntries;
  private final double falsePositives;

  private final int entries;
  private final int bits;
  private final int hashes;

  /** The first keys, while more may still decide the size; null once there is a row. */
  private List<byte[]> kept = new ArrayList<>();

  private int keptBytes;

  /** Filters of {@code bits} each: one, or as the keys go on, several. */
  private final List<long[]> rows = new ArrayList<>();

  private int entriesOfRow;

  /** Keys beyond the most, which go to the rows in turn. */
  private int overflow = -1;

  // Of each pending key: its words mixed, as many as the longest has; what is left of it.
  private final List<int[]> mixed = new ArrayList<>();
  private final List<int[]> factors = new ArrayList<>();
  private final int[] lengths = new int[BATCH];
  private final int[] tails = new int[BATCH];
  private final int[] tailFactors = new int[BATCH];
  private final int[] states = new int[BATCH];
  private final long[][] targets = new long[BATCH][];
  private int pending;
  private int longest;

  /**
   * @param entries keys of a row of bits, or fewer if the file has fewer keys
   * @param falsePositives the share of strange keys that a full row may take for its own
   * @param mostEntries keys beyond which no row is added; the first rows then take more
   */
  RecordKeyBloomFilter(
      BloomFilterTypeCode type, int entries, double falsePositives, int mostEntries) {
    this.type = type;
    this.entries = entries;
    this.mostEntries = mostEntries;
    this.falsePositives = falsePositives;
    // Bloom (1970), as Hudi's BloomFilterUtils rounds it.
    double log2 = Math.log(2);
    this.bits = (int) Math.ceil(entries * (-Math.log(falsePositives) / (log2 * log2)));
    this.hashes = (int) Math.ceil(log2 * bits / entries);
  }

  /** The filter to use in place of the one that Hudi has made, of the same configuration. */
  public static Option<BloomFilter> inPlaceOf(Option<BloomFilter> hudis, HoodieConfig config) {
    return hudis.map(
        filter ->
            new RecordKeyBloomFilter(
                filter.getBloomFilterTypeCode(),
                config.getIntOrDefault(HoodieStorageConfig.BLOOM_FILTER_NUM_ENTRIES_VALUE),
                config.getDoubleOrDefault(HoodieStorageConfig.BLOOM_FILTER_FPP_VALUE),
                config.getIntOrDefault(HoodieStorageConfig.BLOOM_FILTER_DYNAMIC_MAX_ENTRIES)));
  }

  @Override
  public void add(String key) {
    add(key.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void add(byte[] key) {
    if (key.length == 0) {
      throw new IllegalArgumentException("a record key was empty");
    }
    if (kept == null) {
      set(key);
      return;
    }
    kept.add(key.clone());
    keptBytes += key.length;
    if (kept.size() >= entries || keptBytes > MOST_KEPT_BYTES) {
      List<byte[]> first = kept;
      begin();
      first.forEach(this::set);
    }
  }

  /** From here on keys go into rows of this size. */
  private void begin() {
    kept = null;
    addRow();
  }

  private void set(byte[] key) {
    if (key.length > LONGEST_OF_BATCH) {
      setAlone(key, nextRow());
      return;
    }
    mix(key, pending);
    targets[pending] = nextRow();
    pending++;
    if (pending == BATCH) {
      flush();
    }
  }

  @Override
  public boolean mightContain(String key) {
    return BloomFilterFactory.fromString(serializeToString(), type.name()).mightContain(key);
  }

  @Override
  public String serializeToString() {
    if (kept != null) {
      RecordKeyBloomFilter sized =
          new RecordKeyBloomFilter(type, Math.max(1, kept.size()), falsePositives, mostEntries);
      sized.begin();
      kept.forEach(sized::set);
      return sized.serializeToString();
    }
    flush();
    boolean dynamic = type == BloomFilterTypeCode.DYNAMIC_V0;
    int rowBytes = HEADER_BYTES + (bits + 7) / 8;
    int bytes = rows.size() * rowBytes + (dynamic ? HEADER_BYTES + 3 * Integer.BYTES : 0);
    ByteBuffer out = ByteBuffer.allocate(bytes);
    if (dynamic) {
      putHeader(out);
      out.putInt(entries).putInt(entriesOfRow).putInt(rows.size());
    }
    for (long[] row : rows) {
      putHeader(out);
      ByteBuffer padded =
          ByteBuffer.allocate(row.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      padded.asLongBuffer().put(row);
      out.put(padded.array(), 0, (bits + 7) / 8);
    }
    return Base64.getEncoder().encodeToString(out.array());
  }

  @Override
  public BloomFilterTypeCode getBloomFilterTypeCode() {
    return type;
  }

  /** Filters are merged after they were read, never while one is written. */
  @Override
  public void or(BloomFilter other) {
    throw new UnsupportedOperationException("a filter being written is not merged");
  }

  private void putHeader(ByteBuffer out) {
    out.putInt(FORMAT).putInt(hashes).put((byte) Hash.MURMUR_HASH).putInt(bits);
  }

  private void addRow() {
    rows.add(new long[(bits + Long.SIZE - 1) / Long.SIZE]);
  }

  /** The row that takes the next key, as Hudi's InternalDynamicBloomFilter chooses it. */
  private long[] nextRow() {
    if (type == BloomFilterTypeCode.SIMPLE) {
      return rows.get(0);
    }
    if (overflow >= 0) {
      entriesOfRow++;
      return rows.get(overflow++ % rows.size());
    }
    if (entriesOfRow >= entries) {
      if (rows.size() * entries >= mostEntries) {
        overflow = 0;
        entriesOfRow++;
        return rows.get(0);
      }
      addRow();
      entriesOfRow = 0;
    }
    entriesOfRow++;
    return rows.get(rows.size() - 1);
  }

  /** Files what of a key is the same in each of its hashes. */
  private void mix(byte[] key, int slot) {
    int words = key.length >> 2;
    for (; longest < words; longest++) {
      if (longest == mixed.size()) {
        mixed.add(new int[BATCH]);
        factors.add(new int[BATCH]);
      }
      // A step that changes nothing, for the keys that are shorter.
      Arrays.fill(mixed.get(longest), 0);
      Arrays.fill(factors.get(longest), 1);
    }
    for (int w = 0; w < words; w++) {
      int k = (int) INT.get(key, w << 2) * M;
      mixed.get(w)[slot] = (k ^ (k >>> R)) * M;
      factors.get(w)[slot] = M;
    }
    int left = key.length & 3;
    int tail = 0;
    for (int b = 0; b < left; b++) {
      // Bytes are signed, as Hadoop's.
      tail ^= (int) key[key.length - 1 - b] << (8 * b);
    }
    lengths[slot] = key.length;
    tails[slot] = tail;
    tailFactors[slot] = left == 0 ? 1 : M;
    states[slot] = 0;
  }

  private void setAlone(byte[] key, long[] row) {
    Hash murmur = Hash.getInstance(Hash.MURMUR_HASH);
    int state = 0;
    for (int i = 0; i < hashes; i++) {
      state = murmur.hash(key, key.length, state);
      set(row, state);
    }
  }

  private void flush() {
    for (int i = 0; i < hashes; i++) {
      hash();
      for (int slot = 0; slot < pending; slot++) {
        set(targets[slot], states[slot]);
      }
    }
    pending = 0;
    longest = 0;
  }

  private void set(long[] row, int state) {
    int bit = Math.abs(state % bits);
    row[bit >> 6] |= 1L << bit;
  }

  /** MurmurHash 2.0 from the state before. */
  private void hash() {
    begin(states, lengths);
    for (int w = 0; w < longest; w++) {
      step(states, factors.get(w), mixed.get(w));
    }
    finish(states, tails, tailFactors);
  }

  // Each loop is a method of its own, of known length: so the compiler finds what it can vectorise.

  private static void begin(int[] h, int[] lengths) {
    for (int i = 0; i < BATCH; i++) {
      h[i] ^= lengths[i];
    }
  }

  private static void step(int[] h, int[] factors, int[] mixed) {
    for (int i = 0; i < BATCH; i++) {
      h[i] = h[i] * factors[i] ^ mixed[i];
    }
  }

  private static void finish(int[] h, int[] tails, int[] tailFactors) {
    for (int i = 0; i < BATCH; i++) {
      int x = (h[i] ^ tails[i]) * tailFactors[i];
      x = (x ^ x >>> 13) * M;
      h[i] = x ^ x >>> 15;
    }
  }
}
