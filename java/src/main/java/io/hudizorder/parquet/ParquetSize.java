package io.hudizorder.parquet;

import io.hudizorder.hudi.HudiCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToLongFunction;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.common.bloom.BloomFilter;
import org.apache.hudi.common.bloom.BloomFilterFactory;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.io.storage.row.HoodieInternalRowParquetWriter;
import org.apache.hudi.io.storage.row.HoodieRowParquetWriteSupport;
import org.apache.hudi.storage.StoragePath;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * How many bytes rows take as a base file: they are written to a local file as Hudi's row writer
 * would write them, meta columns, bloom filter and codec included, and the file is deleted again.
 */
public final class ParquetSize implements ToLongFunction<List<InternalRow>> {

  private static final UTF8String INSTANT = UTF8String.fromString("20260101000000000");
  private static final UTF8String FILE_NAME =
      UTF8String.fromString(
          "00000000-0000-0000-0000-000000000000-0_0-0-0_20260101000000000.parquet");

  private final HoodieWriteConfig config;
  private final Configuration hadoop;
  private final StructType schema;

  /**
   * @param schema of the rows, with meta columns
   */
  public ParquetSize(HoodieWriteConfig config, Configuration hadoop, StructType schema) {
    this.config = config;
    this.hadoop = hadoop;
    this.schema = schema;
  }

  @Override
  public long applyAsLong(List<InternalRow> rows) {
    try {
      Path folder = Files.createTempDirectory("hudi-zorder-");
      try {
        Path file = folder.resolve("rows.parquet");
        write(rows, file);
        return Files.size(file);
      } finally {
        FileUtils.deleteDirectory(folder.toFile());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot lay out rows: a sample of them cannot be encoded", e);
    }
  }

  /** What takes rows to Parquet as configured, with a filter of record keys. */
  public static HoodieRowParquetWriteSupport writeSupport(
      HoodieWriteConfig config, Configuration hadoop, StructType schema) {
    BloomFilter keys =
        BloomFilterFactory.createBloomFilter(
            config.getBloomFilterNumEntries(),
            config.getBloomFilterFPP(),
            config.getDynamicBloomFilterMaxNumEntries(),
            config.getBloomFilterType());
    return HoodieRowParquetWriteSupport.getHoodieRowParquetWriteSupport(
        hadoop, schema, Option.of(keys), config);
  }

  private void write(List<InternalRow> rows, Path file) throws IOException {
    try (HoodieInternalRowParquetWriter writer =
        HudiCalls.here()
            .rowFile(new StoragePath(file.toUri()), writeSupport(config, hadoop, schema), config)) {
      long number = 0;
      for (InternalRow row : rows) {
        if (!config.populateMetaFields()) {
          writer.writeRow(row);
          continue;
        }
        UTF8String key = row.getUTF8String(HoodieRecord.RECORD_KEY_META_FIELD_ORD);
        UTF8String[] meta = {
          INSTANT,
          UTF8String.fromString(INSTANT + "_0_" + number++),
          key,
          row.getUTF8String(HoodieRecord.PARTITION_PATH_META_FIELD_ORD),
          FILE_NAME
        };
        writer.writeRow(key, HudiCalls.here().withMetaColumns(meta, row));
      }
    }
  }
}
