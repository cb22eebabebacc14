package io.hudizorder;

import java.util.Properties;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.IndexedRecord;
import org.apache.hudi.avro.HoodieAvroWriteSupport;
import org.apache.hudi.common.bloom.BloomFilter;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.common.util.Option;
import org.apache.parquet.schema.MessageType;

/** Takes Avro's records to Parquet with the {@link RowFault} that its configuration names. */
public final class FaultyRecordWriter<T> extends HoodieAvroWriteSupport<T> {

  private final RowFault fault;

  /** Called by Hudi, by name. */
  public FaultyRecordWriter(
      MessageType type, HoodieSchema schema, Option<BloomFilter> filter, Properties config) {
    super(type, schema, filter, config);
    this.fault = RowFault.valueOf(config.getProperty(FaultyRowWriter.FAULT));
  }

  @Override
  @SuppressWarnings("unchecked")
  public void write(T given) {
    IndexedRecord record = (IndexedRecord) given;
    Object[] values = new Object[record.getSchema().getFields().size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = record.get(i);
    }
    for (Object[] written : fault.of(values)) {
      GenericData.Record made = new GenericData.Record(record.getSchema());
      for (int i = 0; i < written.length; i++) {
        made.put(i, written[i]);
      }
      super.write((T) made);
    }
  }
}
