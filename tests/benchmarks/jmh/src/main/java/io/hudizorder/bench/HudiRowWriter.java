package io.hudizorder.bench;

import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.common.bloom.BloomFilter;
import org.apache.hudi.common.config.HoodieConfig;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.io.storage.row.HoodieRowParquetWriteSupport;
import org.apache.spark.sql.types.StructType;

/** Hudi's own writer of rows, by another name: in place of this one the plugin puts none. */
public final class HudiRowWriter extends HoodieRowParquetWriteSupport {

  /** Called by Hudi, by name. */
  public HudiRowWriter(
      Configuration conf, StructType schema, Option<BloomFilter> filter, HoodieConfig config) {
    super(conf, schema, filter, config);
  }
}
