package io.hudizorder.spark.fit;

/**
 * How many bytes rows take in a file: a line through two measured files, one of a sample and one of
 * about half of it.
 *
 * <p>The first rows of a file cost more than those that follow, since they bring the footer, the
 * bloom filter and the dictionaries along. A whole file divided by its rows therefore says too much
 * about a longer one; what the second half of the sample cost says more. A sample of a larger table
 * still compresses worse than the table, whose neighbouring rows are more alike.
 */
public final class FileBytes {

  /**
   * What a sample compresses worse for every time it was halved, and at most. Measured on TPC-DS
   * store_sales, flights and random numbers, gzip: rows cost 1.00 to 1.06 times as much in a half,
   * 1.15 to 1.25 in an eighth, 1.2 to 1.35 in a sixteenth, 1.25 to 1.5 in a thirty-second.
   */
  private static final double LOST_PER_HALVING = 0.06;

  private static final double LOST_AT_MOST = 0.2;

  private final double fixed;
  private final double rate;

  private FileBytes(double fixed, double rate) {
    this.fixed = fixed;
    this.rate = rate;
  }

  /**
   * Draws the line; without a sample, that of rows which take as much in a file as in memory.
   *
   * @param memory bytes of the sample in memory
   * @param file bytes of the sample as a file
   * @param halfMemory bytes of a part of the sample in memory
   * @param halfFile bytes of that part as a file
   * @param halvings how often the table was halved down to the sample; 0 when it is all there
   */
  static FileBytes through(long memory, long file, long halfMemory, long halfFile, int halvings) {
    if (memory == 0) {
      // Of rows that are each too large for a sample none was measured. Pictures take as much;
      // files of texts come out smaller than asked, where all would go through one task.
      return new FileBytes(file, 1);
    }
    double whole = (double) file / memory;
    double rate =
        memory > halfMemory
            ? Math.max(0, Math.min(whole, (double) (file - halfFile) / (memory - halfMemory)))
            : whole;
    double lost = Math.min(LOST_AT_MOST, LOST_PER_HALVING * halvings);
    return new FileBytes(file - rate * memory, rate * (1 - lost));
  }

  /** Bytes that rows of so much memory add to a file. */
  double added(double memory) {
    return rate * memory;
  }

  /** Bytes of one file of rows that add so many. */
  public double of(double added) {
    return fixed + added;
  }

  /**
   * The least number of files of no more than the target's bytes that hold the rows.
   *
   * @param added bytes that the rows add to files
   * @param target bytes of a file; what a file costs without any rows counts for half of it at most
   */
  public int files(double added, long target) {
    double room = Math.max(target - fixed, target / 2.0);
    return (int) Math.max(1, Math.min(Integer.MAX_VALUE, Math.ceil(added / room)));
  }
}
