package io.hudizorder;

import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.common.bloom.BloomFilter;
import org.apache.hudi.common.config.HoodieConfig;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.io.storage.row.HoodieRowParquetWriteSupport;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.StructType;

/** Takes rows to Parquet with the {@link RowFault} that its configuration names. */
public final class FaultyRowWriter extends HoodieRowParquetWriteSupport {

  static final String FAULT = "test.fault";

  private final StructType schema;
  private final RowFault fault;

  /** Called by Hudi, by name. */
  public FaultyRowWriter(
      Configuration conf, StructType schema, Option<BloomFilter> filter, HoodieConfig config) {
    super(conf, schema, filter, config);
    this.schema = schema;
    this.fault = RowFault.valueOf(config.getString(FAULT));
  }

  @Override
  public void write(InternalRow row) {
    Object[] values = new Object[schema.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = row.get(i, schema.fields()[i].dataType());
    }
    for (Object[] written : fault.of(values)) {
      super.write(new GenericInternalRow(written));
    }
  }
}
