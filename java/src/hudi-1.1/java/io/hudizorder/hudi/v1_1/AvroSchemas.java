package io.hudizorder.hudi.v1_1;

import static org.apache.hudi.common.util.ParquetUtils.getCompressionCodecName;

import io.hudizorder.hudi.HudiCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.hudi.AvroConversionUtils;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.TableSchemaResolver;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.io.storage.row.HoodieInternalRowParquetWriter;
import org.apache.hudi.io.storage.row.HoodieRowParquetConfig;
import org.apache.hudi.io.storage.row.HoodieRowParquetWriteSupport;
import org.apache.hudi.storage.StoragePath;
import org.apache.spark.sql.types.StructType;

/** What Hudi up to 1.1 has in common, whose own schemas are Avro's; it links with each line. */
public interface AvroSchemas extends HudiCalls {

  @Override
  default Schema tableSchema(HoodieTableMetaClient table, TableSchemaResolver commits)
      throws Exception {
    return commits.getTableAvroSchema(false);
  }

  @Override
  default Schema withMetaColumns(Schema schema, boolean operation) {
    return HoodieAvroUtils.addMetadataFields(schema, operation);
  }

  @Override
  default Schema without(Schema schema, Set<String> columns) {
    return HoodieAvroUtils.removeFields(schema, columns);
  }

  @Override
  default Schema projected(Schema schema, List<String> columns) {
    return HoodieAvroUtils.generateProjectionSchema(schema, columns);
  }

  @Override
  default StructType sparkSchema(Schema schema) {
    return AvroConversionUtils.convertAvroSchemaToStructType(schema);
  }

  @Override
  default HoodieInternalRowParquetWriter rowFile(
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
  default boolean showsHeartbeat(HoodieWriteConfig config) {
    return false;
  }

  @Override
  default boolean deletesOtherIndexes(HoodieWriteConfig config) {
    return true;
  }
}
