package io.hudizorder.write;

import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.plan.PlannedPaths;
import io.hudizorder.plan.slice.NewFileIds;
import io.hudizorder.plan.slice.RunId;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.hudi.HoodieSparkUtils;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.engine.TaskContextSupplier;
import org.apache.hudi.common.fs.FSUtils;
import org.apache.hudi.common.model.HoodieWriteStat;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.data.HoodieJavaRDD;
import org.apache.hudi.io.storage.row.HoodieInternalRowParquetWriter;
import org.apache.hudi.io.storage.row.HoodieRowCreateHandle;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.table.HoodieTable;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;

/**
 * Base files of a table, by Hudi's own writer: what is to lie in one file, or in several where it
 * turns out to be far larger than a file should be. What Hudi's {@code
 * HoodieDatasetBulkInsertHelper} does, less what it asks of every row: which partition it is of.
 */
public final class RowFiles implements Serializable {

  private static final long serialVersionUID = 1L;

  /** The files of a clustering group. */
  public static final class OfGroup implements Serializable {
    private static final long serialVersionUID = 1L;

    private final String partitionPath;
    private final long mostBytes;
    private final NewFileIds ids;

    /**
     * @param mostBytes when a file is full and the rows go on in another
     * @param run that the files belong to
     */
    public OfGroup(String partitionPath, long mostBytes, RunId run) {
      this.partitionPath = partitionPath;
      this.mostBytes = mostBytes;
      this.ids = new NewFileIds(run);
    }

    String partitionPath() {
      return partitionPath;
    }
  }

  private final HoodieTable<?, ?, ?, ?> table;
  private final HoodieWriteConfig config;
  private final StructType schema;
  private final String instant;
  private final boolean preserveMetadata;

  /**
   * @param schema of the rows, with meta columns
   * @param preserveMetadata whether rows keep the commit that they came with
   */
  public RowFiles(
      HoodieTable<?, ?, ?, ?> table,
      HoodieWriteConfig config,
      StructType schema,
      String instant,
      boolean preserveMetadata) {
    this.table = table;
    this.config = config;
    this.schema =
        HudiCalls.here().nullableAs(schema, new Schema.Parser().parse(config.getSchema()));
    this.instant = instant;
    this.preserveMetadata = preserveMetadata;
  }

  /**
   * What writes the rows once it is asked for the statuses, a Spark partition a file; asked twice,
   * it writes twice.
   */
  public HoodieData<WriteStatus> write(JavaRDD<InternalRow> rows, OfGroup group) {
    JavaRDD<WriteStatus> written =
        rows.mapPartitionsWithIndex(
            (task, partition) -> writeFiles(partition, group, task).iterator(), false);
    // Tasks write rows as the session has it, about old calendars for one. Whoever asks may be a
    // thread without a session of its own, where Spark's SQLConf.get knows no setting at all.
    SQLConf conf = SparkSession.active().sessionState().conf();
    return HoodieJavaRDD.of(
        HoodieSparkUtils.injectSQLConf(written.rdd(), conf, written.classTag()).toJavaRDD());
  }

  /**
   * Writes the rows of a task, or leaves none of its files behind.
   *
   * @param number of the task among those that write the group
   */
  List<WriteStatus> writeFiles(Iterator<InternalRow> rows, OfGroup group, int number)
      throws IOException {
    TaskContext task = TaskContext.get();
    String ids = group.ids.prefix(number);
    List<SizedFile> files = new ArrayList<>();
    List<WriteStatus> statuses = new ArrayList<>();
    try {
      while (rows.hasNext()) {
        SizedFile file = create(group, FSUtils.createNewFileId(ids, files.size()));
        files.add(file);
        while (rows.hasNext() && !file.isFull()) {
          // Sorted rows come without this look of Spark's: a killed task would write all of them.
          task.killTaskIfInterrupted();
          file.write(rows.next());
        }
        task.killTaskIfInterrupted();
        statuses.add(file.close());
      }
      task.killTaskIfInterrupted();
      return statuses;
    } catch (Exception | Error e) {
      files.forEach(file -> discard(group, file, e));
      throw e;
    }
  }

  /** Takes away a file that nobody will hear of: once closed, it looks like any other. */
  private void discard(OfGroup group, HoodieRowCreateHandle file, Throwable reason) {
    try {
      file.close();
    } catch (Exception | Error suppressed) {
      reason.addSuppressed(suppressed);
    }
    StoragePath folder =
        PlannedPaths.folder(new StoragePath(config.getBasePath()), group.partitionPath);
    delete(new StoragePath(folder, file.getFileName()), reason);
  }

  /** Takes away a file that was written whole, since nobody will hear of it. */
  void delete(String path, Throwable reason) {
    delete(new StoragePath(path), reason);
  }

  private void delete(StoragePath path, Throwable reason) {
    try {
      table.getStorage().deleteFile(path);
    } catch (Exception | Error suppressed) {
      reason.addSuppressed(suppressed);
    }
  }

  /** Where a file was written. */
  String path(HoodieWriteStat file) {
    return new StoragePath(config.getBasePath(), file.getPath()).toString();
  }

  private SizedFile create(OfGroup group, String fileId) {
    TaskContextSupplier task = table.getTaskContextSupplier();
    return new SizedFile(
        table,
        config,
        group.partitionPath,
        fileId,
        instant,
        task.getPartitionIdSupplier().get(),
        task.getStageIdSupplier().get(),
        task.getAttemptIdSupplier().get(),
        schema,
        preserveMetadata,
        group.mostBytes);
  }

  /**
   * A file whose size is looked at as often as its rows are large. Hudi looks at it by the number
   * of rows, first after a hundred.
   */
  private static final class SizedFile extends HoodieRowCreateHandle {
    private static final long serialVersionUID = 1L;

    /** How often a file is looked at while it fills, were its rows not compressed. */
    private static final int LOOKS = 64;

    private final long mostBytes;
    private long unseenBytes;

    SizedFile(
        HoodieTable<?, ?, ?, ?> table,
        HoodieWriteConfig config,
        String partitionPath,
        String fileId,
        String instant,
        int partition,
        long stage,
        long attempt,
        StructType schema,
        boolean preserveMetadata,
        long mostBytes) {
      super(
          table,
          config,
          partitionPath,
          fileId,
          instant,
          partition,
          stage,
          attempt,
          schema,
          preserveMetadata);
      this.mostBytes = mostBytes;
    }

    @Override
    public void write(InternalRow row) throws IOException {
      super.write(row);
      unseenBytes += ((UnsafeRow) row).getSizeInBytes();
    }

    boolean isFull() {
      if (unseenBytes < mostBytes / LOOKS) {
        return false;
      }
      unseenBytes = 0;
      return ((HoodieInternalRowParquetWriter) fileWriter).getDataSize() >= mostBytes;
    }
  }
}
