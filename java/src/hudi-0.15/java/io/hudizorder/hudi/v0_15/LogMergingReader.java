package io.hudizorder.hudi.v0_15;

import io.hudizorder.hudi.SliceReader;
import io.hudizorder.hudi.v1_0.TimeUnits;
import java.io.IOException;
import java.util.Collections;
import java.util.Iterator;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.hudi.client.SparkTaskContextSupplier;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieAvroIndexedRecord;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.log.HoodieMergedLogRecordScanner;
import org.apache.hudi.common.util.StringUtils;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.io.IOUtils;
import org.apache.hudi.io.storage.HoodieFileReader;
import org.apache.hudi.io.storage.HoodieSparkIOFactory;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.util.TaskCompletionListener;

/**
 * Reads file slices by Hudi's readers of Avro records, which merge as queries do: no reader of file
 * groups is there yet.
 */
final class LogMergingReader implements SliceReader {

  private static final long serialVersionUID = 1L;

  private final HoodieTableMetaClient table;
  private final HoodieWriteConfig config;
  private final String instant;

  /**
   * @throws HoodieClusteringException for tables whose rows these readers would not find, or not
   *     merge as their queries do
   */
  LogMergingReader(HoodieTableMetaClient table, HoodieWriteConfig config, String instant) {
    this.table = table;
    this.config = config;
    this.instant = instant;
    if (!StringUtils.isNullOrEmpty(config.getInternalSchema())) {
      throw refused("has files from before its schema evolved on read");
    }
    if (config.getRecordMerger().getRecordType() != HoodieRecordType.AVRO) {
      throw refused("merges records of Spark, by 'hoodie.datasource.write.record.merger.impls'");
    }
  }

  private HoodieClusteringException refused(String what) {
    return new HoodieClusteringException(
        String.format(
            "Cannot cluster: table '%s' %s, which Hudi 0.15 has no reader for; compact it or"
                + " rewrite these files first, or cluster by Hudi 1.0",
            config.getBasePath(), what));
  }

  @Override
  public Iterator<InternalRow> read(FileSlice slice, Schema schema, Schema requested)
      throws IOException {
    boolean merges = slice.getLogFiles().findAny().isPresent();
    Schema read = merges ? schema : requested;
    AvroRows rows = new AvroRows(read, requested);
    Iterator<HoodieAvroIndexedRecord> base =
        slice.getBaseFile().isPresent()
            ? base(slice.getBaseFile().get(), read)
            : Collections.emptyIterator();
    if (!merges) {
      return rows.of(base);
    }
    return rows.of(new MergedRecords(base, logs(slice, schema), schema, table, config));
  }

  private Iterator<HoodieAvroIndexedRecord> base(HoodieBaseFile file, Schema schema)
      throws IOException {
    if (file.getBootstrapBaseFile().isPresent()) {
      throw refused("is bootstrapped");
    }
    HoodieStorage storage = table.getStorage();
    HoodieFileReader<?> reader =
        HoodieSparkIOFactory.getHoodieSparkIOFactory(storage)
            .getReaderFactory(HoodieRecordType.AVRO)
            .getFileReader(config, file.getStoragePath());
    atEnd(reader::close);
    if (!TimeUnits.areSame(reader.getSchema(), schema)) {
      // It takes a number for one of the table's unit, whatever the file says.
      throw refused("has files whose times are in another unit than the table's");
    }
    return records(reader, schema);
  }

  /** A reader of Avro has Avro's records. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Iterator<HoodieAvroIndexedRecord> records(
      HoodieFileReader<?> reader, Schema schema) throws IOException {
    return (Iterator) reader.getRecordIterator(schema);
  }

  private HoodieMergedLogRecordScanner logs(FileSlice slice, Schema schema) {
    HoodieMergedLogRecordScanner scanner =
        HoodieMergedLogRecordScanner.newBuilder()
            .withStorage(table.getStorage())
            .withBasePath(config.getBasePath())
            .withLogFilePaths(
                slice
                    .getLogFiles()
                    .map(log -> log.getPath().toString())
                    .collect(Collectors.toList()))
            .withReaderSchema(schema)
            .withLatestInstantTime(instant)
            .withMaxMemorySizeInBytes(
                IOUtils.getMaxMemoryPerCompaction(new SparkTaskContextSupplier(), config))
            .withReverseReader(config.getCompactionReverseLogReadEnabled())
            .withBufferSize(config.getMaxDFSStreamBufferSize())
            .withSpillableMapBasePath(config.getSpillableMapBasePath())
            .withPartition(slice.getPartitionPath())
            .withOptimizedLogBlocksScan(config.enableOptimizedLogBlocksScan())
            .withDiskMapType(config.getCommonConfig().getSpillableDiskMapType())
            .withBitCaskDiskMapCompressionEnabled(
                config.getCommonConfig().isBitCaskDiskMapCompressionEnabled())
            .withRecordMerger(config.getRecordMerger())
            .withTableMetaClient(table)
            .build();
    atEnd(scanner::close);
    return scanner;
  }

  private static void atEnd(Runnable close) {
    TaskContext.get().addTaskCompletionListener((TaskCompletionListener) ended -> close.run());
  }
}
