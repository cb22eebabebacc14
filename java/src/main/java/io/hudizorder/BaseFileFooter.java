package io.hudizorder;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hudi.storage.StorageConfiguration;
import org.apache.parquet.HadoopReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
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
    List<String> timestamps = timestamps(tableInParquet);
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
      Configuration conf, String path, StructType table, List<String> timestamps) {
    try (ParquetFileReader reader =
        ParquetFileReader.open(
            HadoopInputFile.fromPath(new Path(path), conf),
            // With them come the keys of encrypted footers.
            HadoopReadOptions.builder(conf, new Path(path)).build())) {
      MessageType file = reader.getFileMetaData().getSchema();
      return new BaseFileFooter(
          reader.getRecordCount(),
          hasSchema(file, table)
              && timestamps(file).equals(timestamps)
              && file.getColumns().stream().noneMatch(BaseFileFooter::isSmallDecimalInBytes));
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

  /**
   * The unit and zone of every column that is a timestamp, in the order of columns; Spark's types
   * do not tell millis from micros. Their paths may differ: lists have two spellings.
   */
  private static List<String> timestamps(MessageType schema) {
    return schema.getColumns().stream()
        .map(column -> column.getPrimitiveType().getLogicalTypeAnnotation())
        .map(type -> type instanceof TimestampLogicalTypeAnnotation ? type.toString() : "")
        .collect(Collectors.toList());
  }

  /** Decimals that fit into a long, as Avro writers keep them: Spark reads no vectors of these. */
  private static boolean isSmallDecimalInBytes(ColumnDescriptor column) {
    PrimitiveType type = column.getPrimitiveType();
    return type.getPrimitiveTypeName() == PrimitiveTypeName.BINARY
        && type.getLogicalTypeAnnotation() instanceof DecimalLogicalTypeAnnotation
        && ((DecimalLogicalTypeAnnotation) type.getLogicalTypeAnnotation()).getPrecision()
            <= Decimal.MAX_LONG_DIGITS();
  }
}
