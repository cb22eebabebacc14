package io.hudizorder.hudi.v1_0;

import io.hudizorder.hudi.LockOfStore;
import io.hudizorder.hudi.v1_1.AvroSchemas;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.avro.HoodieAvroUtils;
import org.apache.hudi.avro.model.HoodieMetadataColumnStats;
import org.apache.hudi.client.model.HoodieInternalRow;
import org.apache.hudi.client.transaction.TransactionManager;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.fs.FSUtils;
import org.apache.hudi.common.model.HoodieKey;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.model.HoodieSparkRecord;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.table.HoodieTable;
import org.apache.parquet.avro.AvroSchemaConverter;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.internal.LegacyBehaviorPolicy$;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Enumeration;

/** What Hudi 0.15 and 1.0 have in common, and 1.1 has not; it links with both. */
public abstract class UntilHudi1_0 implements AvroSchemas {

  @Override
  public StructType nullableAs(StructType columns, Schema schema) {
    Map<String, StructField> known =
        Arrays.stream(sparkSchema(schema).fields())
            .collect(Collectors.toMap(StructField::name, Function.identity()));
    return new StructType(
        Arrays.stream(columns.fields())
            .map(field -> nullableAs(field, known.get(field.name())))
            .toArray(StructField[]::new));
  }

  private static StructField nullableAs(StructField field, StructField known) {
    return known != null && known.dataType().asNullable().equals(field.dataType().asNullable())
        ? new StructField(field.name(), known.dataType(), known.nullable(), field.metadata())
        : field;
  }

  @Override
  public void requireWritable(
      HoodieTableMetaClient table, HoodieWriteConfig config, Schema schema) {
    TimeUnits.requireWritable(schema);
  }

  /** Short decimals are numbers in Spark's files, and bytes in those that Hudi reads by Avro. */
  @Override
  public final void prepareRowWriter(HoodieWriteConfig config) {
    Schema schema = new Schema.Parser().parse(config.getSchema());
    prepareDecimals(config, schema);
    TimeUnits.prepareRowWriter(config, schema);
  }

  protected abstract void prepareDecimals(HoodieWriteConfig config, Schema schema);

  @Override
  public boolean repairsTimes() {
    return false;
  }

  @Override
  public MessageType parquetSchema(Schema schema, Configuration conf) {
    return new AvroSchemaConverter(conf).convert(schema);
  }

  @Override
  public List<String> partitions(
      HoodieEngineContext engine, HoodieTableMetaClient table, HoodieWriteConfig config) {
    return FSUtils.getAllPartitionPaths(
        engine, table.getStorage(), config.getMetadataConfig(), config.getBasePath());
  }

  @Override
  public HoodieRecord<InternalRow> record(HoodieKey key, InternalRow row, StructType schema) {
    return new HoodieSparkRecord(key, row, schema, false);
  }

  @Override
  public InternalRow withMetaColumns(UTF8String[] meta, InternalRow row) {
    return new HoodieInternalRow(meta, row, true);
  }

  @Override
  public Class<?> recordWriter() {
    return RecordWriter.class;
  }

  @Override
  public Enumeration.Value calendar() {
    return LegacyBehaviorPolicy$.MODULE$.withName(
        SQLConf.get().getConf(SQLConf.PARQUET_REBASE_MODE_IN_WRITE()));
  }

  @Override
  public void underLock(HoodieWriteConfig config, HoodieStorage storage, Runnable change) {
    TransactionManager transactions = new TransactionManager(config, storage);
    try {
      transactions.beginTransaction(Option.empty(), Option.empty());
      try {
        change.run();
      } finally {
        transactions.endTransaction(Option.empty());
      }
    } finally {
      transactions.close();
    }
  }

  @Override
  public boolean keepsRecordIndex(HoodieWriteConfig config) {
    return config.isRecordIndexEnabled();
  }

  @Override
  public boolean keepsPartitionedRecordIndex(HoodieWriteConfig config) {
    return false;
  }

  @Override
  public String recordIndexSetting() {
    return "hoodie.metadata.record.index.enable";
  }

  @Override
  public List<Map<Pair<String, String>, List<Comparable<?>>>> columnRanges(
      HoodieTable<?, ?, ?, ?> table, List<Pair<String, String>> files, List<String> columns) {
    return columns.stream()
        .map(column -> ranges(table.getMetadataTable().getColumnStats(files, column)))
        .collect(Collectors.toList());
  }

  private static Map<Pair<String, String>, List<Comparable<?>>> ranges(
      Map<Pair<String, String>, HoodieMetadataColumnStats> entries) {
    Map<Pair<String, String>, List<Comparable<?>>> ranges = new HashMap<>();
    entries.forEach(
        (file, entry) ->
            ranges.put(
                file,
                Arrays.asList(
                    HoodieAvroUtils.unwrapAvroValueWrapper(entry.getMinValue()),
                    HoodieAvroUtils.unwrapAvroValueWrapper(entry.getMaxValue()))));
    return ranges;
  }

  /** It has none. */
  @Override
  public Option<LockOfStore> lockOfStore(String scheme) {
    return Option.empty();
  }
}
