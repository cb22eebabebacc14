package io.hudizorder.hudi.v1_0;

import io.hudizorder.option.ChosenValues;
import io.hudizorder.parquet.PageRowLimit;
import io.hudizorder.parquet.RecordKeyBloomFilter;
import java.util.Properties;
import org.apache.avro.Schema;
import org.apache.hudi.avro.HoodieAvroWriteSupport;
import org.apache.hudi.common.bloom.BloomFilter;
import org.apache.hudi.common.config.HoodieConfig;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.util.Option;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;

/**
 * Hudi's writer of Avro records, for the record path, with a quicker filter of their keys and
 * {@link PageRowLimit}: files are the same, byte for byte, but for the size of that filter.
 */
public final class RecordWriter<T> extends HoodieAvroWriteSupport<T> {

  private final long pageRows;

  /** Called by Hudi, by name. */
  public RecordWriter(
      MessageType type, Schema schema, Option<BloomFilter> filter, Properties config) {
    super(
        type,
        schema,
        RecordKeyBloomFilter.inPlaceOf(filter, new HoodieConfig(TypedProperties.fromMap(config))),
        config);
    this.pageRows = PageRowLimit.of(ChosenValues.of(config));
  }

  @Override
  public void prepareForWrite(RecordConsumer consumer) {
    PageRowLimit.apply(consumer, pageRows);
    super.prepareForWrite(consumer);
  }
}
