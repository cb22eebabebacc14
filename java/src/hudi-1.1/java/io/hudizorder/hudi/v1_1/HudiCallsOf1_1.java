package io.hudizorder.hudi.v1_1;

import io.hudizorder.hudi.GroupWriter;
import io.hudizorder.hudi.SliceReader;
import io.hudizorder.hudi.v1_2.SinceHudi1_1;
import org.apache.avro.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.AvroConversionUtils;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.HoodieWriteMetadata;
import org.apache.parquet.avro.HoodieAvroParquetSchemaConverter;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.types.StructType;

/** Hudi 1.1. */
public final class HudiCallsOf1_1 extends SinceHudi1_1 implements AvroSchemas {

  @Override
  public StructType nullableAs(StructType columns, Schema schema) {
    return AvroConversionUtils.alignFieldsNullability(columns, schema);
  }

  @Override
  public MessageType parquetSchema(Schema schema, Configuration conf) {
    return HoodieAvroParquetSchemaConverter.getAvroSchemaConverter(conf).convert(schema);
  }

  @Override
  public SliceReader sliceReader(
      HoodieSparkEngineContext engine,
      HoodieTableMetaClient table,
      HoodieWriteConfig config,
      String instant) {
    return new FileGroupSliceReader(engine, table, config, instant);
  }

  @Override
  public <T> HoodieWriteMetadata<HoodieData<WriteStatus>> cluster(
      HoodieTable<?, ?, ?, ?> table,
      HoodieSparkEngineContext engine,
      HoodieWriteConfig config,
      GroupWriter<T> groups,
      HoodieClusteringPlan plan,
      Schema schema,
      String instant) {
    return new GroupExecution<>(table, engine, config, groups)
        .performClustering(plan, schema, instant);
  }

  @Override
  public Class<?> recordWriter() {
    return RecordWriter.class;
  }
}
