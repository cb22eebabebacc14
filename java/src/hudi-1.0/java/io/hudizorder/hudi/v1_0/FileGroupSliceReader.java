package io.hudizorder.hudi.v1_0;

import static org.apache.hudi.common.config.HoodieMemoryConfig.MAX_MEMORY_FOR_MERGE;
import static org.apache.hudi.common.config.HoodieMemoryConfig.SPILLABLE_MAP_BASE_PATH;

import io.hudizorder.hudi.MergeProperties;
import io.hudizorder.hudi.SliceReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import org.apache.avro.Schema;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.config.HoodieReaderConfig;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.engine.HoodieReaderContext;
import org.apache.hudi.common.model.BaseFile;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieBaseFile;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.read.HoodieFileGroupReader;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.internal.schema.utils.SerDeHelper;
import org.apache.hudi.io.IOUtils;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.storage.hadoop.HadoopStorageConfiguration;
import org.apache.hudi.table.SparkBroadcastManager;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.util.TaskCompletionListener;

/** What a task needs of Hudi's reader of file groups, as Hudi's own clustering asks it. */
final class FileGroupSliceReader implements SliceReader {

  private static final long serialVersionUID = 1L;

  private final HoodieTableMetaClient table;
  private final SparkBroadcastManager contexts;
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
    this.contexts = new SparkBroadcastManager(engine, table);
    contexts.prepareAndBroadcast();
    long memory = IOUtils.getMaxMemoryPerCompaction(engine.getTaskContextSupplier(), config);
    this.properties = MergeProperties.of(table, config);
    properties.setProperty(MAX_MEMORY_FOR_MERGE.key(), Long.toString(memory));
    properties.setProperty(SPILLABLE_MAP_BASE_PATH.key(), config.getSpillableMapBasePath());
    this.internalSchema = config.getInternalSchema();
    this.instant = instant;
    this.byPosition = config.getBooleanOrDefault(HoodieReaderConfig.MERGE_USE_RECORD_POSITIONS);
  }

  @Override
  @SuppressWarnings("unchecked")
  public Iterator<InternalRow> read(FileSlice slice, Schema schema, Schema requested)
      throws IOException {
    slice.getBaseFile().ifPresent(FileGroupSliceReader::toTheEnd);
    StoragePath folder = table.getBasePath();
    HoodieFileGroupReader<InternalRow> reader =
        new HoodieFileGroupReader<>(
            (HoodieReaderContext<InternalRow>)
                contexts.retrieveFileGroupReaderContext(folder).get(),
            table
                .getStorage()
                .newInstance(
                    folder, new HadoopStorageConfiguration(contexts.retrieveStorageConfig().get())),
            folder.toString(),
            instant,
            slice,
            schema,
            requested,
            SerDeHelper.fromJson(internalSchema),
            table,
            properties,
            0,
            Long.MAX_VALUE,
            byPosition,
            false);
    TaskContext.get().addTaskCompletionListener((TaskCompletionListener) ended -> close(reader));
    reader.initRecordIterators();
    return reader.getClosableIterator();
  }

  /**
   * It reads a skeleton, and the file that its values are in, up to the lengths that it is told,
   * which no plan stores: of files without one, no row, and says nothing.
   */
  private static void toTheEnd(HoodieBaseFile skeleton) {
    Option<BaseFile> values = skeleton.getBootstrapBaseFile();
    if (values.isPresent()) {
      skeleton.setFileLen(Long.MAX_VALUE);
      values.get().setFileLen(Long.MAX_VALUE);
    }
  }

  private static void close(HoodieFileGroupReader<InternalRow> reader) {
    try {
      reader.close();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot close a file slice", e);
    }
  }
}
