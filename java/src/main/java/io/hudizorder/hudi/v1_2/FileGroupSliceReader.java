package io.hudizorder.hudi.v1_2;

import static org.apache.hudi.common.config.HoodieCommonConfig.DISK_MAP_BITCASK_COMPRESSION_ENABLED;
import static org.apache.hudi.common.config.HoodieCommonConfig.SPILLABLE_DISK_MAP_TYPE;
import static org.apache.hudi.common.config.HoodieMemoryConfig.MAX_MEMORY_FOR_MERGE;
import static org.apache.hudi.common.config.HoodieMemoryConfig.SPILLABLE_MAP_BASE_PATH;

import io.hudizorder.hudi.MergeProperties;
import io.hudizorder.hudi.SliceReader;
import java.io.IOException;
import java.util.Iterator;
import org.apache.avro.Schema;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.config.HoodieReaderConfig;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.engine.ReaderContextFactory;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.read.HoodieFileGroupReader;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.data.CloseableIteratorListener;
import org.apache.hudi.internal.schema.utils.SerDeHelper;
import org.apache.hudi.io.IOUtils;
import org.apache.spark.sql.catalyst.InternalRow;

/** What a task needs of Hudi's reader of file groups. */
final class FileGroupSliceReader implements SliceReader {

  private static final long serialVersionUID = 1L;

  private final HoodieTableMetaClient table;
  private final ReaderContextFactory<InternalRow> contexts;
  private final TypedProperties properties;
  private final String internalSchema;
  private final String instant;
  private final boolean byPosition;

  FileGroupSliceReader(
      HoodieSparkEngineContext engine,
      HoodieTableMetaClient table,
      HoodieWriteConfig config,
      String instant) {
    this.table = table;
    this.contexts = engine.getEngineReaderContextFactory(table);
    this.properties = properties(engine, table, config);
    this.internalSchema = config.getInternalSchema();
    this.instant = instant;
    this.byPosition = config.getBooleanOrDefault(HoodieReaderConfig.MERGE_USE_RECORD_POSITIONS);
  }

  /** How records are merged, and what {@code ClusteringExecutionStrategy} tells of memory. */
  private static TypedProperties properties(
      HoodieSparkEngineContext engine, HoodieTableMetaClient table, HoodieWriteConfig config) {
    long memory = IOUtils.getMaxMemoryPerCompaction(engine.getTaskContextSupplier(), config);
    TypedProperties properties = MergeProperties.of(table, config);
    properties.setProperty(SPILLABLE_MAP_BASE_PATH.key(), config.getSpillableMapBasePath());
    properties.setProperty(
        SPILLABLE_DISK_MAP_TYPE.key(),
        config.getCommonConfig().getSpillableDiskMapType().toString());
    properties.setProperty(
        DISK_MAP_BITCASK_COMPRESSION_ENABLED.key(),
        Boolean.toString(config.getCommonConfig().isBitCaskDiskMapCompressionEnabled()));
    properties.setProperty(MAX_MEMORY_FOR_MERGE.key(), Long.toString(memory));
    return properties;
  }

  @Override
  public Iterator<InternalRow> read(FileSlice slice, Schema schema, Schema requested)
      throws IOException {
    HoodieFileGroupReader<InternalRow> reader =
        HoodieFileGroupReader.<InternalRow>newBuilder()
            .withReaderContext(contexts.getContext())
            .withHoodieTableMetaClient(table)
            .withLatestCommitTime(instant)
            .withFileSlice(slice)
            .withDataSchema(parsed(schema))
            .withRequestedSchema(parsed(requested))
            .withInternalSchema(SerDeHelper.fromJson(internalSchema))
            .withShouldUseRecordPosition(byPosition)
            .withProps(properties)
            .build();
    return CloseableIteratorListener.addListener(reader.getClosableIterator());
  }

  /**
   * The schema with Hudi's own logical types, which a schema of Avro's loses that came to this
   * process before Hudi had made them known here.
   */
  private static HoodieSchema parsed(Schema schema) {
    return HoodieSchema.parse(schema.toString());
  }
}
