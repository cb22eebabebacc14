package io.hudizorder.parquet;

import io.hudizorder.spark.sample.RowWidths;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hudi.storage.StorageConfiguration;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.types.StructType;

/** The footers of Parquet base files, and what the rows of all of them take. */
public final class BaseFileFooters {

  /** Of no file. */
  public static final BaseFileFooters NONE = new BaseFileFooters();

  /** Enough for a cluster that has yet to grow: who reads a footer waits for storage. */
  private static final int TASKS = 200;

  private static final int TASKS_A_CORE = 4;

  private final Map<String, BaseFileFooter> byPath = new HashMap<>();
  private final ColumnSizes sizes = new ColumnSizes();

  private BaseFileFooters() {}

  /**
   * Reads the footers of files, as one Spark job.
   *
   * @param table the table's schema with meta columns, as Spark writes it
   * @param tableInParquet the same as Parquet has it; none where times of any unit are the table's
   * @param fillable top-level columns that are null where a file does not have them
   * @param required those of which every row has a value, as the table's schema says
   */
  public static BaseFileFooters readAll(
      JavaSparkContext spark,
      StorageConfiguration<?> storage,
      List<String> paths,
      StructType table,
      Optional<MessageType> tableInParquet,
      Set<String> fillable,
      Set<String> required) {
    ExpectedSchema schema = new ExpectedSchema(table, tableInParquet, fillable, required);
    int tasks = tasks(paths.size(), spark.defaultParallelism(), spark.sc().isLocal());
    List<OfTask> read =
        spark
            .parallelize(paths, tasks)
            .mapPartitions(
                part ->
                    List.of(OfTask.read(storage.unwrapAs(Configuration.class), part, schema))
                        .iterator())
            .collect();
    BaseFileFooters all = new BaseFileFooters();
    Iterator<String> path = paths.iterator();
    for (OfTask task : read) {
      task.footers.forEach(footer -> all.byPath.put(path.next(), footer));
      all.sizes.add(task.sizes);
    }
    return all;
  }

  /**
   * How many tasks read them, or whatever else takes waiting for storage. The cores are those that
   * are there when it begins, which is all that there will be where Spark runs in this process
   * alone.
   */
  public static int tasks(int paths, int cores, boolean local) {
    return Math.min(paths, local ? cores : Math.max(TASKS, TASKS_A_CORE * cores));
  }

  /** The footer of a file; null where it was not read. */
  public BaseFileFooter of(String path) {
    return byPath.get(path);
  }

  /** What rows take in files, and which columns may take more of some than of others. */
  public RowWidths widths() {
    return sizes.widths();
  }

  /** What one task has read, in the order of its paths. */
  private static final class OfTask implements Serializable {
    private static final long serialVersionUID = 1L;

    private final List<BaseFileFooter> footers = new ArrayList<>();
    private final ColumnSizes sizes = new ColumnSizes();

    static OfTask read(Configuration conf, Iterator<String> paths, ExpectedSchema table) {
      OfTask read = new OfTask();
      Set<String> variable = table.variable();
      while (paths.hasNext()) {
        String path = paths.next();
        try {
          HadoopInputFile input = HadoopInputFile.fromPath(new Path(path), conf);
          ParquetMetadata footer = Footers.read(input, conf);
          read.footers.add(BaseFileFooter.of(footer, input.getLength(), table));
          read.sizes.add(footer, variable);
        } catch (IOException e) {
          throw new UncheckedIOException("Cannot read the footer of base file '" + path + "'", e);
        }
      }
      return read;
    }
  }
}
