package io.hudizorder.parquet;

import java.util.Arrays;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;

/**
 * When a leaf goes on in another file: a net below layouts whose forecast of bytes was wrong. No
 * file is larger than two targets, unless a row is, or half a target is less than the open pages of
 * all columns.
 */
public final class FileLimit {

  /** Where the net would hang were all pages full, and how high it may be raised for open ones. */
  private static final double TARGETS = 1.8;

  /** What is left of two goes to the rows between two looks, the footer and indexes of pages. */
  private static final double MOST_TARGETS = 1.9;

  /** How large leaves are that nobody is to cut apart, whatever their open pages are counted as. */
  private static final double LEAF_TARGETS = 1.4;

  private FileLimit() {}

  /**
   * Most bytes of an open file, as its writer counts them: pages that are full as they are stored,
   * and those that are not yet as they are in memory, which says nothing of how they will compress.
   *
   * @param pageRows most rows of a page
   * @param target bytes that a file should have
   */
  public static long of(HoodieWriteConfig config, long pageRows, StructType schema, long target) {
    long page = config.getParquetPageSize();
    long numbers = Math.min(page, Long.BYTES * pageRows);
    long open =
        Arrays.stream(schema.fields())
            .mapToLong(field -> hasLength(field.dataType()) ? page : numbers)
            .sum();
    double limit = Math.min(TARGETS * target + open, MOST_TARGETS * target);
    // "As large as may be" is told as the largest number there is.
    return Math.min(Long.MAX_VALUE / 2, Math.round(Math.max(LEAF_TARGETS * target + open, limit)));
  }

  /** The same for a writer of Hudi's, which adds a share to the limit that it is told. */
  public static long ofHudi(
      HoodieWriteConfig config, long pageRows, StructType schema, long target) {
    double added = 1 + config.getParquetCompressionRatio();
    return (long) (of(config, pageRows, schema, target) / added);
  }

  /** Whether values of a type differ in length. */
  static boolean hasLength(DataType type) {
    return type instanceof StringType
        || type instanceof BinaryType
        || type instanceof ArrayType
        || type instanceof MapType
        || type instanceof StructType;
  }
}
