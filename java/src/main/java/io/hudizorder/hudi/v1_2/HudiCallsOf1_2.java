package io.hudizorder.hudi.v1_2;

import static org.apache.hudi.common.util.ParquetUtils.getCompressionCodecName;

import io.hudizorder.hudi.GroupWriter;
import io.hudizorder.hudi.SliceReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.HoodieSchemaConversionUtils;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.config.HoodieParquetConfig;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.common.schema.HoodieSchemaUtils;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.TableSchemaResolver;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.io.storage.row.HoodieInternalRowParquetWriter;
import org.apache.hudi.io.storage.row.HoodieRowParquetWriteSupport;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.hadoop.HadoopStorageConfiguration;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.HoodieWriteMetadata;
import org.apache.parquet.avro.HoodieAvroParquetSchemaConverter;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.types.StructType;

/** Hudi 1.2, which wraps Avro's schemas into its own. */
public final class HudiCallsOf1_2 extends SinceHudi1_1 {

  @Override
  public Schema tableSchema(HoodieTableMetaClient table, TableSchemaResolver commits)
      throws Exception {
    // By itself the resolver takes that of whichever commit was requested last.
    Option<Pair<HoodieInstant, HoodieCommitMetadata>> written =
        table.getActiveTimeline().getLastCommitMetadataWithValidSchema(true);
    HoodieSchema schema =
        written.isPresent()
            ? commits.getTableSchema(written.get().getLeft(), false)
            : commits.getTableSchema(false);
    return schema.toAvroSchema();
  }

  @Override
  public Schema withMetaColumns(Schema schema, boolean operation) {
    return HoodieSchemaUtils.addMetadataFields(HoodieSchema.fromAvroSchema(schema), operation)
        .toAvroSchema();
  }

  @Override
  public Schema without(Schema schema, Set<String> columns) {
    return HoodieSchemaUtils.removeFields(HoodieSchema.fromAvroSchema(schema), columns)
        .toAvroSchema();
  }

  @Override
  public Schema projected(Schema schema, List<String> columns) {
    return HoodieSchemaUtils.generateProjectionSchema(HoodieSchema.fromAvroSchema(schema), columns)
        .toAvroSchema();
  }

  @Override
  public StructType sparkSchema(Schema schema) {
    return HoodieSchemaConversionUtils.convertHoodieSchemaToStructType(
        HoodieSchema.fromAvroSchema(schema));
  }

  @Override
  public StructType nullableAs(StructType columns, Schema schema) {
    return HoodieSchemaConversionUtils.alignFieldsNullability(
        columns, HoodieSchema.fromAvroSchema(schema));
  }

  @Override
  public MessageType parquetSchema(Schema schema, Configuration conf) {
    return HoodieAvroParquetSchemaConverter.getAvroSchemaConverter(conf)
        .convert(HoodieSchema.fromAvroSchema(schema));
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
        .performClustering(plan, HoodieSchema.fromAvroSchema(schema), instant);
  }

  @Override
  public HoodieInternalRowParquetWriter rowFile(
      StoragePath path, HoodieRowParquetWriteSupport support, HoodieWriteConfig config) {
    try {
      return new HoodieInternalRowParquetWriter(
          path,
          new HoodieParquetConfig<>(
              support,
              getCompressionCodecName(config.getParquetCompressionCodec()),
              config.getParquetBlockSize(),
              config.getParquetPageSize(),
              config.getParquetMaxFileSize(),
              new HadoopStorageConfiguration(support.getHadoopConf()),
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
    return config.isExpirationOfClusteringEnabled();
  }

  @Override
  public boolean deletesOtherIndexes(HoodieWriteConfig config) {
    return config.isAutoDeleteMdtPartitionsEnabled();
  }
}
