package io.hudizorder.hudi.v0_15;

import java.util.Iterator;
import org.apache.avro.Schema;
import org.apache.hudi.AvroConversionUtils;
import org.apache.hudi.SparkAdapterSupport$;
import org.apache.hudi.common.model.HoodieAvroIndexedRecord;
import org.apache.hudi.common.util.collection.MappingIterator;
import org.apache.hudi.org.apache.spark.sql.avro.HoodieAvroDeserializer;
import org.apache.spark.sql.catalyst.InternalRow;

/** Makes rows of Avro's records. */
final class AvroRows {

  private final HoodieAvroDeserializer deserializer;

  /**
   * @param schema of the records
   * @param requested the columns of the rows
   */
  AvroRows(Schema schema, Schema requested) {
    this.deserializer =
        SparkAdapterSupport$.MODULE$
            .sparkAdapter()
            .createAvroDeserializer(
                schema, AvroConversionUtils.convertAvroSchemaToStructType(requested));
  }

  /** The rows, which are the same object again and again. */
  Iterator<InternalRow> of(Iterator<HoodieAvroIndexedRecord> records) {
    return new MappingIterator<>(
        records, record -> (InternalRow) deserializer.deserialize(record.getData()).get());
  }
}
