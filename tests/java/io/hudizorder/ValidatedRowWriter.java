package io.hudizorder;

import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.common.bloom.BloomFilter;
import org.apache.hudi.common.config.HoodieConfig;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.io.storage.row.HoodieRowParquetWriteSupport;
import org.apache.parquet.io.ValidatingRecordConsumer;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** A {@link RowWriter} whose consumer Parquet validates, in a wrapper. */
public final class ValidatedRowWriter extends HoodieRowParquetWriteSupport {

  private final RowWriter ours;
  private MessageType schema;

  /** Called by Hudi, by name. */
  public ValidatedRowWriter(
      Configuration conf, StructType schema, Option<BloomFilter> filter, HoodieConfig config) {
    super(conf, schema, filter, config);
    ours = new RowWriter(conf, schema, filter, config);
  }

  @Override
  public WriteContext init(Configuration configuration) {
    WriteContext context = ours.init(configuration);
    schema = context.getSchema();
    return context;
  }

  @Override
  public void prepareForWrite(RecordConsumer consumer) {
    ours.prepareForWrite(new ValidatingRecordConsumer(consumer, schema));
  }

  @Override
  public void write(InternalRow row) {
    ours.write(row);
  }

  @Override
  public void add(UTF8String key) {
    ours.add(key);
  }

  @Override
  public FinalizedWriteContext finalizeWrite() {
    return ours.finalizeWrite();
  }
}
