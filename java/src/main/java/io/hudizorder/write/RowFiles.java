package io.hudizorder.write;

import io.hudizorder.plan.RunId;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hudi.HoodieSchemaConversionUtils;
import org.apache.hudi.HoodieSparkUtils;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.common.data.HoodieData;
import org.apache.hudi.common.engine.TaskContextSupplier;
import org.apache.hudi.common.fs.FSUtils;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.data.HoodieJavaRDD;
import org.apache.hudi.io.storage.row.HoodieInternalRowParquetWriter;
import org.apache.hudi.io.storage.row.HoodieRowCreateHandle;
import org.apache.hudi.storage.StoragePath;
import org.apache.hudi.table.HoodieTable;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;
import scala.reflect.ClassTag$;

/**
 * Base files of one partition of a table, by Hudi's own writer: a Spark partition is a file, or
 * several where it turns out to be far larger than one should be. What Hudi's {@code
 * HoodieDatasetBulkInsertHelper} does, less what it asks of every row: which partition it is of.
 */
public final class RowFiles implements Serializable {

  private static final long serialVersionUID = 1L;

  private final HoodieTable<?, ?, ?, ?> table;
  private final HoodieWriteConfig config;
  private final long mostBytes;
  private final String partitionPath;
  private final StructType schema;
  private final String instant;
  private final boolean preserveMetadata;
  private final RunId run;

  /**
   * @param mostBytes when a file is full and the rows go on in another
   * @param schema of the rows, with meta columns
   * @param preserveMetadata whether rows keep the commit that they came with
   * @param run that the files belong to
   */
  public RowFiles(
      HoodieTable<?, ?, ?, ?> table,
      HoodieWriteConfig config,
      long mostBytes,
      String partitionPath,
      StructType schema,
      String instant,
      boolean preserveMetadata,
      RunId run) {
    this.table = table;
    this.config = config;
    this.mostBytes = mostBytes;
    this.partitionPath = partitionPath;
    this.schema =
        HoodieSchemaConversionUtils.alignFieldsNullability(
            schema, HoodieSchema.parse(config.getSchema()));
    this.instant = instant;
    this.preserveMetadata = preserveMetadata;
    this.run = run;
  }

  /** What writes the rows once it is asked for the statuses; asked twice, it writes twice. */
  public HoodieData<WriteStatus> write(JavaRDD<InternalRow> rows) {
    RDD<WriteStatus> statuses = rows.mapPartitions(this::writeFiles).rdd();
    // Rows are written as the session has it, about old calendars for one.
    return HoodieJavaRDD.of(
        HoodieSparkUtils.injectSQLConf(
                statuses, SQLConf.get(), ClassTag$.MODULE$.apply(WriteStatus.class))
            .toJavaRDD());
  }

  private Iterator<WriteStatus> writeFiles(Iterator<InternalRow> rows) throws IOException {
    TaskContext task = TaskContext.get();
    List<SizedFile> files = new ArrayList<>();
    List<WriteStatus> statuses = new ArrayList<>();
    try {
      while (rows.hasNext()) {
        SizedFile file = create();
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
      return statuses.iterator();
    } catch (Exception | Error e) {
      files.forEach(file -> discard(file, e));
      throw e;
    }
  }

  /** Takes away a file that nobody will hear of: once closed, it looks like any other. */
  private void discard(HoodieRowCreateHandle file, Throwable reason) {
    try {
      file.close();
    } catch (Exception | Error suppressed) {
      reason.addSuppressed(suppressed);
    }
    try {
      StoragePath folder = FSUtils.constructAbsolutePath(config.getBasePath(), partitionPath);
      table.getStorage().deleteFile(new StoragePath(folder, file.getFileName()));
    } catch (Exception | Error suppressed) {
      reason.addSuppressed(suppressed);
    }
  }

  private SizedFile create() {
    TaskContextSupplier task = table.getTaskContextSupplier();
    return new SizedFile(
        table,
        config,
        partitionPath,
        FSUtils.createNewFileId(run.newFileId(), 0),
        instant,
        task.getPartitionIdSupplier().get(),
        task.getStageIdSupplier().get(),
        task.getAttemptIdSupplier().get(),
        schema,
        preserveMetadata,
        mostBytes);
  }

  /**
   * A file whose size is looked at as often as its rows are large. Hudi looks at it by the number
   * of rows, first after a hundred.
   */
  private static final class SizedFile extends HoodieRowCreateHandle {
    private static final long serialVersionUID = 1L;

    /** How often a file is looked at while it fills, were its rows not compressed. */
    private static final int LOOKS = 32;

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
