package io.hudizorder.write;

import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.plan.slice.NewFileIds;
import io.hudizorder.plan.slice.RunId;
import io.hudizorder.read.RowCounts;
import io.hudizorder.read.SessionSettings;
import io.hudizorder.read.UntilKilled;
import java.util.Iterator;
import org.apache.hudi.common.model.HoodieKey;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.exception.HoodieClusteringException;
import org.apache.hudi.table.BulkInsertPartitioner;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/**
 * The record path's arrangement: Hudi's records carry Spark rows, which are laid out as the row
 * path lays them out and handed back as records.
 */
public final class RecordArrangement<T> implements BulkInsertPartitioner<JavaRDD<HoodieRecord<T>>> {

  private static final long serialVersionUID = 1L;

  private final transient FittedGroup group;
  private final transient StructType schema;
  private final NewFileIds ids;
  private final RowCounts counts = new RowCounts();

  /**
   * @param schema of the records' rows: the table's with meta columns
   * @param run that the files belong to
   */
  public RecordArrangement(FittedGroup group, StructType schema, RunId run) {
    this.group = group;
    this.schema = schema;
    this.ids = new NewFileIds(run);
  }

  @Override
  @SuppressWarnings("unchecked")
  public JavaRDD<HoodieRecord<T>> repartitionRecords(JavaRDD<HoodieRecord<T>> records, int files) {
    SparkSession spark = SparkSession.active();
    spark.sparkContext().register(counts);
    RowCounts seen = counts;
    SessionSettings settings = new SessionSettings(spark);
    int columns = schema.length();
    JavaRDD<InternalRow> rows =
        records.mapPartitionsWithIndex(
            (partition, found) ->
                seen.counting(
                    partition, settings.within(() -> new Rows<>(UntilKilled.of(found), columns))),
            true);
    Dataset<Row> arranged = group.arrange(spark.internalCreateDataFrame(rows.rdd(), schema, false));
    String partitionPath = group.partitionPath();
    int keyOrdinal = schema.fieldIndex(HoodieRecord.RECORD_KEY_METADATA_FIELD);
    StructType rowSchema = arranged.schema();
    return arranged
        .queryExecution()
        .toRdd()
        .toJavaRDD()
        .mapPartitions(UntilKilled::of)
        .map(
            row ->
                (HoodieRecord<T>)
                    // Hudi's reader has left deleted rows out; a column may look otherwise.
                    HudiCalls.here()
                        .record(
                            new HoodieKey(key(row, keyOrdinal), partitionPath),
                            row.copy(),
                            rowSchema));
  }

  /** The record's key; where a table has virtual ones, its writer asks for none. */
  private static String key(InternalRow row, int ordinal) {
    return row.isNullAt(ordinal) ? "" : row.getString(ordinal);
  }

  @Override
  public boolean arePartitionRecordsSorted() {
    return true;
  }

  /** What the id of a file group begins with, of which Hudi asks for one a task. */
  @Override
  public String getFileIdPfx(int partition) {
    return ids.prefix(partition);
  }

  /** The records read, known after they were. */
  public long countedRows() {
    return counts.total();
  }

  private static final class Rows<T> implements Iterator<InternalRow> {
    private final Iterator<HoodieRecord<T>> records;
    private final int columns;

    Rows(Iterator<HoodieRecord<T>> records, int columns) {
      this.records = records;
      this.columns = columns;
    }

    @Override
    public boolean hasNext() {
      return records.hasNext();
    }

    @Override
    public InternalRow next() {
      HoodieRecord<T> record = records.next();
      if (!(record.getData() instanceof InternalRow)) {
        throw new HoodieClusteringException(
            "Cannot cluster: Hudi's reader gave a record of "
                + record.getClass().getName()
                + ", which holds no Spark row; set 'hoodie.datasource.write.row.writer.enable' to"
                + " 'true'");
      }
      InternalRow row = (InternalRow) record.getData();
      if (row.numFields() != columns) {
        // Spark would take each column for its neighbour.
        throw new HoodieClusteringException(
            String.format(
                "Cannot cluster: Hudi's reader gave a record of %d columns, and the table has %d;"
                    + " set 'hoodie.datasource.write.row.writer.enable' to 'true'",
                row.numFields(), columns));
      }
      return row;
    }
  }
}
