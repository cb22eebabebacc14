package io.hudizorder;

import io.hudizorder.SlowRowWriter.At;
import java.util.Properties;
import org.apache.hudi.avro.HoodieAvroWriteSupport;
import org.apache.hudi.common.bloom.BloomFilter;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.common.util.Option;
import org.apache.parquet.hadoop.api.WriteSupport.FinalizedWriteContext;
import org.apache.parquet.schema.MessageType;

/** Takes Avro's records to Parquet, and stops where {@link SlowRowWriter} is to. */
public final class SlowRecordWriter<T> extends HoodieAvroWriteSupport<T> {

  /** Called by Hudi, by name. */
  public SlowRecordWriter(
      MessageType type, HoodieSchema schema, Option<BloomFilter> filter, Properties config) {
    super(type, schema, filter, config);
  }

  @Override
  public void write(T record) {
    SlowRowWriter.pass(At.ROW);
    super.write(record);
  }

  @Override
  public FinalizedWriteContext finalizeWrite() {
    SlowRowWriter.pass(At.CLOSE);
    return super.finalizeWrite();
  }
}
