package io.hudizorder.hudi.v1_2;

import io.hudizorder.hudi.FormatCalls;
import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.hudi.LockOfStore;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.hudi.SparkAdapterSupport$;
import org.apache.hudi.avro.model.HoodieMetadataColumnStats;
import org.apache.hudi.client.transaction.TransactionManager;
import org.apache.hudi.client.transaction.lock.StorageBasedLockProvider;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.fs.FSUtils;
import org.apache.hudi.common.model.HoodieKey;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieSparkRecord;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.ReflectionUtils;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.exception.HoodieException;
import org.apache.hudi.metadata.HoodieTableMetadata;
import org.apache.hudi.stats.ValueMetadata;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StorageSchemes;
import org.apache.hudi.table.HoodieTable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Enumeration;

/** What Hudi 1.1 and 1.2 have in common, and 1.0 has not. */
public abstract class SinceHudi1_1 implements HudiCalls {

  @Override
  public FormatCalls format() {
    return new FormatOf1();
  }

  @Override
  public List<String> partitions(
      HoodieEngineContext engine, HoodieTableMetaClient table, HoodieWriteConfig config) {
    return FSUtils.getAllPartitionPaths(engine, table, config.getMetadataConfig());
  }

  /** By {@code SchemaRepair}. */
  @Override
  public boolean repairsTimes() {
    return true;
  }

  /** It writes them all. */
  @Override
  public void requireWritable(
      HoodieTableMetaClient table, HoodieWriteConfig config, Schema schema) {}

  /** They understand them all. */
  @Override
  public void prepareRowWriter(HoodieWriteConfig config) {}

  @Override
  public HoodieRecord<InternalRow> record(HoodieKey key, InternalRow row, StructType schema) {
    return new HoodieSparkRecord(key, row, schema, false, null, null, false);
  }

  @Override
  public InternalRow withMetaColumns(UTF8String[] meta, InternalRow row) {
    return SparkAdapterSupport$.MODULE$.sparkAdapter().createInternalRow(meta, row, true);
  }

  @Override
  public Enumeration.Value calendar() {
    return (Enumeration.Value) SparkAdapterSupport$.MODULE$.sparkAdapter().getDateTimeRebaseMode();
  }

  @Override
  public void underLock(HoodieWriteConfig config, HoodieStorage storage, Runnable change) {
    try (TransactionManager transactions = new TransactionManager(config, storage)) {
      transactions.beginStateChange(Option.empty(), Option.empty());
      try {
        change.run();
      } finally {
        transactions.endStateChange(Option.empty());
      }
    }
  }

  @Override
  public String newInstant(HoodieTableMetaClient table) {
    return table.createNewInstantTime(false);
  }

  @Override
  public boolean keepsRecordIndex(HoodieWriteConfig config) {
    return config.isGlobalRecordLevelIndexEnabled() || config.isRecordLevelIndexEnabled();
  }

  @Override
  public boolean keepsPartitionedRecordIndex(HoodieWriteConfig config) {
    return config.isRecordLevelIndexEnabled();
  }

  @Override
  public String recordIndexSetting() {
    return "hoodie.metadata.global.record.level.index.enable";
  }

  @Override
  public List<Map<Pair<String, String>, List<Comparable<?>>>> columnRanges(
      HoodieTable<?, ?, ?, ?> table, List<Pair<String, String>> files, List<String> columns) {
    Map<String, Map<Pair<String, String>, List<Comparable<?>>>> ranges = new HashMap<>();
    try (HoodieTableMetadata metadata = table.refreshAndGetTableMetadata()) {
      metadata
          .getColumnStats(files, columns)
          .forEach(
              (file, entries) ->
                  entries.forEach(
                      entry ->
                          ranges
                              .computeIfAbsent(entry.getColumnName(), any -> new HashMap<>())
                              .put(file, range(entry))));
    } catch (Exception e) {
      throw new HoodieException("Cannot read the index of column statistics of " + columns, e);
    }
    return columns.stream()
        .map(column -> ranges.getOrDefault(column, Collections.emptyMap()))
        .collect(Collectors.toList());
  }

  private static List<Comparable<?>> range(HoodieMetadataColumnStats entry) {
    ValueMetadata type = ValueMetadata.getValueMetadata(entry.getValueType());
    return Arrays.asList(
        type.unwrapValue(entry.getMinValue()), type.unwrapValue(entry.getMaxValue()));
  }

  @Override
  public Option<LockOfStore> lockOfStore(String scheme) {
    boolean known =
        StorageSchemes.isSchemeSupported(scheme)
            && StorageSchemes.getStorageLockImplementationIfExists(scheme)
                .map(store -> isThere(store.getStorageLockClass()))
                .orElse(false);
    return known ? Option.of(StorageBasedLockProvider::new) : Option.empty();
  }

  private static boolean isThere(String className) {
    try {
      ReflectionUtils.getClass(className);
      return true;
    } catch (HoodieException e) {
      return false;
    }
  }
}
