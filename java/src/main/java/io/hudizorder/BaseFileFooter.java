package io.hudizorder;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hudi.storage.StorageConfiguration;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** What the footer of a Parquet base file says: its rows, and whether it has the table's schema. */
final class BaseFileFooter implements Serializable {

  private static final long serialVersionUID = 1L;

  private final long rows;
  private final boolean tableSchema;

  private BaseFileFooter(long rows, boolean tableSchema) {
    this.rows = rows;
    this.tableSchema = tableSchema;
  }

  /**
   * Reads the footers of files, as one Spark job.
   *
   * @param table the table's schema with meta columns, as Spark and as Parquet write it
   */
  static List<BaseFileFooter> readAll(
      JavaSparkContext spark,
      StorageConfiguration<?> storage,
      List<String> paths,
      StructType table,
      MessageType tableInParquet) {
    Map<String, String> timestamps = timestamps(tableInParquet);
    return spark
        .parallelize(paths, Math.min(paths.size(), spark.defaultParallelism()))
        .map(path -> read(storage.unwrapAs(Configuration.class), path, table, timestamps))
        .collect();
  }

  long rows() {
    return rows;
  }

  /**
   * Whether Spark's own Parquet reader gives exactly the table's rows: the same columns in the same
   * order, of the same types at every depth, timestamps in the table's unit.
   */
  boolean hasTableSchema() {
    return tableSchema;
  }

  private static BaseFileFooter read(
      Configuration conf, String path, StructType table, Map<String, String> timestamps) {
    try (ParquetFileReader reader =
        ParquetFileReader.open(HadoopInputFile.fromPath(new Path(path), conf))) {
      MessageType file = reader.getFileMetaData().getSchema();
      return new BaseFileFooter(
          reader.getRecordCount(), hasSchema(file, table) && timestamps(file).equals(timestamps));
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the footer of base file '" + path + "'", e);
    }
  }

  private static boolean hasSchema(MessageType file, StructType table) {
    ParquetToSparkSchemaConverter converter =
        new ParquetToSparkSchemaConverter(false, true, true, true, false);
    try {
      return DataType.equalsIgnoreNullability(converter.convert(file), table);
    } catch (RuntimeException unknownToSpark) {
      // Spark refuses a Parquet type it has no counterpart for: Hudi's reader knows what to do.
      return false;
    }
  }

  /** The unit and zone of every timestamp column; Spark's types do not tell millis from micros. */
  private static Map<String, String> timestamps(MessageType schema) {
    Map<String, String> found = new TreeMap<>();
    for (ColumnDescriptor column : schema.getColumns()) {
      LogicalTypeAnnotation annotation = column.getPrimitiveType().getLogicalTypeAnnotation();
      if (annotation instanceof TimestampLogicalTypeAnnotation) {
        found.put(String.join(".", column.getPath()), annotation.toString());
      }
    }
    return found;
  }
}
