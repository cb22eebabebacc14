package io.hudizorder.hudi;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.avro.model.HoodieClusteringPlan;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.client.common.HoodieSparkEngineContext;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.engine.HoodieEngineContext;
import org.apache.hudi.common.model.HoodieKey;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.TableSchemaResolver;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.common.util.collection.Pair;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.internal.schema.InternalSchema;
import org.apache.hudi.io.storage.row.HoodieInternalRowParquetWriter;
import org.apache.hudi.io.storage.row.HoodieRowParquetWriteSupport;
import org.apache.hudi.storage.HoodieStorage;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.table.HoodieTable;
import org.apache.hudi.table.action.HoodieWriteMetadata;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Enumeration;

/**
 * The calls into Hudi that differ between its versions: names, arguments, or where they are. Each
 * line of versions has a room with its own; all else of this jar compiles once, and links with
 * every line. Schemas are Avro's, which all of them know.
 */
public interface HudiCalls {

  /** Those of the Hudi on the class path; refused as {@link HudiRelease#requireSupported} tells. */
  static HudiCalls here() {
    return HudiRelease.calls();
  }

  /** Those that changed with Hudi 1.0. */
  FormatCalls format();

  // Schemas

  /**
   * The schema that a table's writers have given it, without meta columns: never that of a
   * clustering, which knows no column that was added while it ran.
   *
   * @param commits of the table, of which the resolver remembers those that it has read
   */
  Schema tableSchema(HoodieTableMetaClient table, TableSchemaResolver commits) throws Exception;

  /** A schema with meta columns, and with that of the operation if asked for. */
  Schema withMetaColumns(Schema schema, boolean operation);

  Schema without(Schema schema, Set<String> columns);

  /** The named top-level columns alone. */
  Schema projected(Schema schema, List<String> columns);

  StructType sparkSchema(Schema schema);

  /** The same columns, nullable where the other schema has them so. */
  StructType nullableAs(StructType columns, Schema schema);

  /** What a base file of this schema looks like, as Hudi configures it. */
  MessageType parquetSchema(Schema schema, Configuration conf);

  // Reading

  /**
   * Whether Hudi takes the times of a base file to be of the table's unit, whatever the file says.
   */
  boolean repairsTimes();

  /**
   * Refuses a plan with slices whose rows this Hudi's readers would not find, or not merge as
   * queries do; another's may.
   *
   * @param evolved by schema on read, if the table is
   * @throws IllegalArgumentException with what was found
   */
  default void requireReadable(
      HoodieWriteConfig config, Option<InternalSchema> evolved, HoodieClusteringPlan plan) {}

  /** The partitions of a table, all of them. */
  List<String> partitions(
      HoodieEngineContext engine, HoodieTableMetaClient table, HoodieWriteConfig config);

  /**
   * What reads file slices on executors.
   *
   * @param instant up to which log files are read
   */
  SliceReader sliceReader(
      HoodieSparkEngineContext engine,
      HoodieTableMetaClient table,
      HoodieWriteConfig config,
      String instant);

  // Writing

  /**
   * Clusters groups by Hudi's own strategy of a job for each group, several at a time.
   *
   * @param schema as Hudi gave it to our strategy
   */
  <T> HoodieWriteMetadata<HoodieData<WriteStatus>> cluster(
      HoodieTable<?, ?, ?, ?> table,
      HoodieSparkEngineContext engine,
      HoodieWriteConfig config,
      GroupWriter<T> groups,
      HoodieClusteringPlan plan,
      Schema schema,
      String instant);

  /**
   * Refuses a table whose rows this Hudi cannot write as they are, or not as it is configured;
   * another may.
   *
   * @param schema that Spark has converted
   * @throws IllegalArgumentException with what was found
   */
  void requireWritable(HoodieTableMetaClient table, HoodieWriteConfig config, Schema schema);

  /**
   * What Hudi is given to commit.
   *
   * @param written none of a plan of which no row is left
   */
  default HoodieData<WriteStatus> committable(HoodieData<WriteStatus> written) {
    return written;
  }

  /**
   * Sets what the writer of rows has to heed so that Hudi's readers of records understand its
   * files.
   */
  void prepareRowWriter(HoodieWriteConfig config);

  /** A record of the record path that is not deleted, whatever its columns say. */
  HoodieRecord<InternalRow> record(HoodieKey key, InternalRow row, StructType schema);

  /** What writes rows into one file. */
  HoodieInternalRowParquetWriter rowFile(
      StoragePath path, HoodieRowParquetWriteSupport support, HoodieWriteConfig config);

  /** A row whose first columns are these meta columns. */
  InternalRow withMetaColumns(UTF8String[] meta, InternalRow row);

  /** The writer of Avro records to name in {@code hoodie.avro.write.support.class}. */
  Class<?> recordWriter();

  /** Which calendar dates and times are written in, a {@code LegacyBehaviorPolicy}. */
  Enumeration.Value calendar();

  // Timeline and indexes

  /** Changes the timeline as the table's lock has it, where one is configured. */
  void underLock(HoodieWriteConfig config, HoodieStorage storage, Runnable change);

  /**
   * Hudi's lock by an object of a store, where Hudi has one and its client is on the class path.
   */
  Option<LockOfStore> lockOfStore(String scheme);

  /** The time of an instant that is put on the timeline under the table's lock, which is held. */
  String newInstant(HoodieTableMetaClient table);

  /** Whether Hudi's own client shows a heartbeat for every clustering. */
  boolean showsHeartbeat(HoodieWriteConfig config);

  /** Whether a commit deletes indexes that its configuration does not ask for. */
  boolean deletesOtherIndexes(HoodieWriteConfig config);

  /** Whether a commit keeps an index of all records, whether of the table or of each partition. */
  boolean keepsRecordIndex(HoodieWriteConfig config);

  /** Whether a commit keeps an index of records that each partition has for itself. */
  boolean keepsPartitionedRecordIndex(HoodieWriteConfig config);

  /** What turns the index of all records on. */
  String recordIndexSetting();

  /**
   * For each column the least and greatest values in files, as the table's index of column
   * statistics has them; two nulls where it tells none, and nothing for a file that it has no entry
   * of.
   *
   * @param files their partitions and names
   */
  List<Map<Pair<String, String>, List<Comparable<?>>>> columnRanges(
      HoodieTable<?, ?, ?, ?> table, List<Pair<String, String>> files, List<String> columns);
}
