package io.hudizorder.hudi.v1_1;

import static org.apache.hudi.common.util.ParquetUtils.getCompressionCodecName;

import io.hudizorder.hudi.GroupWriter;
import io.hudizorder.hudi.SliceReader;
import io.hudizorder.hudi.v1_2.SinceHudi1_1;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.AvroConversionUtils;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.TableSchemaResolver;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.io.storage.row.HoodieInternalRowParquetWriter;
import org.apache.hudi.io.storage.row.HoodieRowParquetConfig;
import org.apache.hudi.io.storage.row.HoodieRowParquetWriteSupport;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.HoodieWriteMetadata;
import org.apache.parquet.avro.HoodieAvroParquetSchemaConverter;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.types.StructType;

/** Hudi 1.1. */
public final class HudiCallsOf1_1 extends SinceHudi1_1 {

  @Override
  public Schema tableSchema(TableSchemaResolver resolver) throws Exception {
    return resolver.getTableAvroSchema(false);
  }

  @Override
  public Schema withMetaColumns(Schema schema, boolean operation) {
    return HoodieAvroUtils.addMetadataFields(schema, operation);
  }

  @Override
  public Schema without(Schema schema, Set<String> columns) {
    return HoodieAvroUtils.removeFields(schema, columns);
  }

  @Override
  public Schema projected(Schema schema, List<String> columns) {
    return HoodieAvroUtils.generateProjectionSchema(schema, columns);
  }

  @Override
  public StructType sparkSchema(Schema schema) {
    return AvroConversionUtils.convertAvroSchemaToStructType(schema);
  }

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
  public HoodieInternalRowParquetWriter rowFile(
      StoragePath path, HoodieRowParquetWriteSupport support, HoodieWriteConfig config) {
    try {
      return new HoodieInternalRowParquetWriter(
          path,
          new HoodieRowParquetConfig(
              support,
              getCompressionCodecName(config.getParquetCompressionCodec()),
              config.getParquetBlockSize(),
              config.getParquetPageSize(),
              config.getParquetMaxFileSize(),
              support.getHadoopConf(),
              config.getParquetCompressionRatio(),
              config.parquetDictionaryEnabled()));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot write '" + path + "'", e);
    }
  }

  @Override
  public Class<?> recordWriter() {
    return RecordWriter.class;
  }

  @Override
  public boolean showsHeartbeat(HoodieWriteConfig config) {
    return false;
  }

  @Override
  public boolean deletesOtherIndexes(HoodieWriteConfig config) {
    return true;
  }
}
