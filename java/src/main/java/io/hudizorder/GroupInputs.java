package io.hudizorder;

import io.hudizorder.MergingInput.SliceReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.config.HoodieReaderConfig;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.model.HoodieFileFormat;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.internal.schema.InternalSchema;
import org.apache.hudi.internal.schema.utils.SerDeHelper;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.parquet.avro.HoodieAvroParquetSchemaConverter;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.SparkSession;

/**
 * Opens clustering groups: the fast reader where it gives exactly Hudi's rows, Hudi's elsewhere.
 */
final class GroupInputs {

  /**
   * A row in a log or in a file whose footer does not count rows; only the sample depends on it.
   */
  private static final long ASSUMED_ROW_BYTES = 100;

  private final HoodieSparkEngineContext engine;
  private final HoodieTableMetaClient metaClient;
  private final HoodieWriteConfig config;
  private final TypedProperties readerProperties;
  private final ClusteringSetup setup;
  private final String instant;

  GroupInputs(
      HoodieSparkEngineContext engine,
      HoodieTableMetaClient metaClient,
      HoodieWriteConfig config,
      TypedProperties readerProperties,
      ClusteringSetup setup,
      String instant) {
    this.engine = engine;
    this.metaClient = metaClient;
    this.config = config;
    this.readerProperties = readerProperties;
    this.setup = setup;
    this.instant = instant;
  }

  GroupInput open(List<FileSlice> slices) {
    SparkSession spark = engine.getSqlContext().sparkSession();
    List<String> baseFiles =
        slices.stream()
            .filter(slice -> slice.getBaseFile().isPresent())
            .map(slice -> slice.getBaseFile().get().getPath())
            .collect(Collectors.toList());
    boolean parquet =
        metaClient.getTableConfig().getBaseFileFormat() == HoodieFileFormat.PARQUET
            && !metaClient.getTableConfig().isMultipleBaseFileFormatsEnabled();
    if (!parquet || baseFiles.isEmpty()) {
      return merging(spark, slices, assumedRows(slices));
    }
    List<BaseFileFooter> footers =
        BaseFileFooter.readAll(
            engine.jsc(),
            metaClient.getStorageConf(),
            baseFiles,
            setup.sparkSchema(),
            parquetSchema());
    long rows = footers.stream().mapToLong(BaseFileFooter::rows).sum();
    boolean plain =
        slices.stream().allMatch(GroupInputs::isBaseFileAlone)
            && slices.stream().allMatch(isOfLatestSchema())
            && footers.stream().allMatch(BaseFileFooter::hasTableSchema);
    return plain
        ? new VectorisedInput(spark, baseFiles, setup.sparkSchema(), rows)
        : merging(spark, slices, rows + assumedLogRows(slices));
  }

  private static boolean isBaseFileAlone(FileSlice slice) {
    return slice.getBaseFile().isPresent()
        && !slice.getBaseFile().get().getBootstrapBaseFile().isPresent()
        && slice.getLogFiles().findAny().isEmpty();
  }

  /**
   * Whether a slice was written since the table's last evolution by schema on read: a name means
   * the column that it means now.
   */
  private Predicate<FileSlice> isOfLatestSchema() {
    Option<InternalSchema> evolved = SerDeHelper.fromJson(config.getInternalSchema());
    if (evolved.isEmpty()) {
      return slice -> true;
    }
    long since = evolved.get().schemaId();
    // As Hudi's InternalSchemaCache finds the schema of a file.
    return slice -> since > 0 && Long.parseLong(slice.getBaseInstantTime()) >= since;
  }

  private MessageType parquetSchema() {
    Configuration conf = metaClient.getStorageConf().unwrapCopyAs(Configuration.class);
    return HoodieAvroParquetSchemaConverter.getAvroSchemaConverter(conf).convert(setup.schema());
  }

  private GroupInput merging(SparkSession spark, List<FileSlice> slices, long estimatedRows) {
    SliceReader reader =
        new SliceReader(
            metaClient,
            engine.getEngineReaderContextFactory(metaClient),
            readerProperties,
            config.getInternalSchema(),
            instant,
            config.getBooleanOrDefault(HoodieReaderConfig.MERGE_USE_RECORD_POSITIONS));
    return new MergingInput(spark, reader, setup.schema(), slices, Math.max(1, estimatedRows));
  }

  private long assumedRows(List<FileSlice> slices) {
    long bytes =
        slices.stream()
            .filter(slice -> slice.getBaseFile().isPresent())
            .mapToLong(slice -> size(slice.getBaseFile().get().getStoragePath()))
            .sum();
    return bytes / ASSUMED_ROW_BYTES + assumedLogRows(slices);
  }

  private long assumedLogRows(List<FileSlice> slices) {
    return slices.stream()
            .flatMap(FileSlice::getLogFiles)
            .mapToLong(log -> size(log.getPath()))
            .sum()
        / ASSUMED_ROW_BYTES;
  }

  private long size(StoragePath path) {
    HoodieStorage storage = metaClient.getStorage();
    try {
      return storage.getPathInfo(path).getLength();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the size of '" + path + "'", e);
    }
  }
}
