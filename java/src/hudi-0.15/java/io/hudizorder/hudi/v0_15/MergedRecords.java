package io.hudizorder.hudi.v0_15;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.avro.Schema;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.model.HoodieAvroIndexedRecord;
import org.apache.hudi.common.model.HoodiePayloadProps;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieRecordMerger;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.log.HoodieMergedLogRecordScanner;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.keygen.BaseKeyGenerator;
import org.apache.hudi.keygen.factory.HoodieSparkKeyGeneratorFactory;

/**
 * A base file's records, merged with those of the logs, as a snapshot query merges them ({@code
 * RecordMergingFileIterator}): what no log has changed stays as it is, whatever its columns say.
 */
@SuppressWarnings("rawtypes") // as Hudi's own signatures have it
final class MergedRecords implements Iterator<HoodieAvroIndexedRecord> {

  private final Iterator<HoodieAvroIndexedRecord> base;
  private final Map<String, HoodieRecord> logs;
  private final Schema schema;
  private final HoodieRecordMerger merger;
  private final Option<BaseKeyGenerator> keys;
  private final TypedProperties properties = new TypedProperties();
  private Iterator<HoodieRecord> rest;
  private Option<HoodieAvroIndexedRecord> next = Option.empty();

  MergedRecords(
      Iterator<HoodieAvroIndexedRecord> base,
      HoodieMergedLogRecordScanner logs,
      Schema schema,
      HoodieTableMetaClient table,
      HoodieWriteConfig config) {
    this.base = base;
    this.logs = logs.getRecords();
    this.schema = schema;
    this.merger = config.getRecordMerger();
    this.keys = HoodieSparkKeyGeneratorFactory.createBaseKeyGenerator(config);
    String ordering = table.getTableConfig().getPreCombineField();
    if (ordering != null) {
      properties.setProperty(HoodiePayloadProps.PAYLOAD_ORDERING_FIELD_PROP_KEY, ordering);
      properties.setProperty(HoodiePayloadProps.PAYLOAD_EVENT_TIME_FIELD_PROP_KEY, ordering);
    }
  }

  @Override
  public boolean hasNext() {
    try {
      while (!next.isPresent() && base.hasNext()) {
        next = merged(base.next());
      }
      if (rest == null && !next.isPresent()) {
        rest = logs.values().iterator();
      }
      while (!next.isPresent() && rest.hasNext()) {
        next = avro(rest.next(), schema);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot merge a file slice", e);
    }
    return next.isPresent();
  }

  private Option<HoodieAvroIndexedRecord> merged(HoodieAvroIndexedRecord record)
      throws IOException {
    HoodieRecord change = logs.remove(record.getRecordKey(schema, keys));
    if (change == null) {
      return Option.of(record);
    }
    Option<Pair<HoodieRecord, Schema>> merged =
        merger.merge(record, schema, change, schema, properties);
    return merged.isPresent()
        ? avro(merged.get().getLeft(), merged.get().getRight())
        : Option.empty();
  }

  /** None where the record says that it is deleted. */
  @SuppressWarnings("unchecked")
  private Option<HoodieAvroIndexedRecord> avro(HoodieRecord record, Schema schema)
      throws IOException {
    return record.toIndexedRecord(schema, properties);
  }

  @Override
  public HoodieAvroIndexedRecord next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    HoodieAvroIndexedRecord record = next.get();
    next = Option.empty();
    return record;
  }
}
