package io.hudizorder.hudi.v0_15;

import io.hudizorder.hudi.SliceReader;
import io.hudizorder.hudi.v1_0.TimeUnits;
import io.hudizorder.plan.slice.RowLogs;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.hudi.client.SparkTaskContextSupplier;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieAvroIndexedRecord;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.model.HoodieRecord.HoodieRecordType;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.log.HoodieMergedLogRecordScanner;
import org.apache.hudi.common.util.collection.ClosableIterator;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.internal.schema.utils.SerDeHelper;
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
  private final ReadableSlices readable;
  private final String instant;

  LogMergingReader(HoodieTableMetaClient table, HoodieWriteConfig config, String instant) {
    this.table = table;
    this.config = config;
    this.readable = new ReadableSlices(config, SerDeHelper.fromJson(config.getInternalSchema()));
    this.instant = instant;
  }

  @Override
  public Iterator<InternalRow> read(FileSlice slice, Schema schema, Schema requested)
      throws IOException {
    // A proof reads slices of others' plans, too, which nobody has looked at.
    Optional<String> refusal = readable.refusal(slice);
    if (refusal.isPresent()) {
      throw new HoodieClusteringException(refusal.get());
    }
    boolean merges = RowLogs.of(slice).findAny().isPresent();
    Schema read = merges ? schema : requested;
    AvroRows rows = new AvroRows(read, requested);
    OpenSlice open = new OpenSlice();
    TaskContext.get().addTaskCompletionListener((TaskCompletionListener) ended -> open.close());
    Iterator<HoodieAvroIndexedRecord> records =
        slice.getBaseFile().isPresent()
            ? base(slice.getBaseFile().get(), read, open)
            : Collections.emptyIterator();
    if (merges) {
      HoodieMergedLogRecordScanner logs = logs(slice, schema);
      open.add(logs::close);
      records = new MergedRecords(records, logs, schema, table, config);
    }
    return open.of(rows.of(records));
  }

  /** The rows of a slice, which is closed after them, or else when the task ends. */
  private static final class OpenSlice implements ClosableIterator<InternalRow> {

    private final Deque<Runnable> opened = new ArrayDeque<>();
    private Iterator<InternalRow> rows;

    void add(Runnable close) {
      opened.push(close);
    }

    OpenSlice of(Iterator<InternalRow> all) {
      rows = all;
      return this;
    }

    @Override
    public boolean hasNext() {
      return rows.hasNext();
    }

    @Override
    public InternalRow next() {
      return rows.next();
    }

    /** Lets go of the rows, too: the listener is there until the task ends. */
    @Override
    public void close() {
      rows = Collections.emptyIterator();
      while (!opened.isEmpty()) {
        opened.pop().run();
      }
    }
  }

  private Iterator<HoodieAvroIndexedRecord> base(HoodieBaseFile file, Schema schema, OpenSlice open)
      throws IOException {
    HoodieStorage storage = table.getStorage();
    HoodieFileReader<?> reader =
        HoodieSparkIOFactory.getHoodieSparkIOFactory(storage)
            .getReaderFactory(HoodieRecordType.AVRO)
            .getFileReader(config, file.getStoragePath());
    open.add(reader::close);
    if (!TimeUnits.areSame(reader.getSchema(), schema)) {
      // It takes a number for one of the table's unit, whatever the file says.
      throw new HoodieClusteringException(
          readable.refusal("has files whose times are in another unit than the table's"));
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
    return HoodieMergedLogRecordScanner.newBuilder()
        .withStorage(table.getStorage())
        .withBasePath(config.getBasePath())
        .withLogFilePaths(
            RowLogs.of(slice).map(log -> log.getPath().toString()).collect(Collectors.toList()))
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
  }
}
