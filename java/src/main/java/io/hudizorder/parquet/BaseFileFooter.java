package io.hudizorder.parquet;

import io.hudizorder.spark.sample.RowWidths;
import io.hudizorder.spark.sample.RowWidths.Bytes;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.storage.StorageConfiguration;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What the footer of a Parquet base file says: its rows, whether it has the table's schema, and
 * what its columns take.
 */
public final class BaseFileFooter implements Serializable {

  private static final long serialVersionUID = 1L;

  /** Enough for a cluster that has yet to grow: who reads a footer waits for storage. */
  private static final int TASKS = 200;

  private static final int TASKS_A_CORE = 4;

  private final long length;
  private final long rows;
  private final boolean tableSchema;
  private final long bytes;
  private final Map<String, Bytes> variable;

  /** Null where there is none. */
  private final String lackedColumn;

  private BaseFileFooter(
      long length,
      long rows,
      boolean tableSchema,
      long bytes,
      Map<String, Bytes> variable,
      String lackedColumn) {
    this.length = length;
    this.rows = rows;
    this.tableSchema = tableSchema;
    this.bytes = bytes;
    this.variable = variable;
    this.lackedColumn = lackedColumn;
  }

  /**
   * Reads the footers of files, as one Spark job.
   *
   * @param table the table's schema with meta columns, as Spark writes it
   * @param tableInParquet the same as Parquet has it; none where times of any unit are the table's
   * @param fillable top-level columns that are null where a file does not have them
   * @param required those of which every row has a value, as the table's schema says
   */
  public static List<BaseFileFooter> readAll(
      JavaSparkContext spark,
      StorageConfiguration<?> storage,
      List<String> paths,
      StructType table,
      Optional<MessageType> tableInParquet,
      Set<String> fillable,
      Set<String> required) {
    ExpectedSchema schema =
        new ExpectedSchema(
            table, tableInParquet.map(BaseFileFooter::timestamps).orElse(null), fillable, required);
    int tasks = tasks(paths.size(), spark.defaultParallelism(), spark.sc().isLocal());
    return spark
        .parallelize(paths, tasks)
        .map(path -> read(storage.unwrapAs(Configuration.class), path, schema))
        .collect();
  }

  /**
   * How many tasks read them, or whatever else takes waiting for storage. The cores are those that
   * are there when it begins, which is all that there will be where Spark runs in this process
   * alone.
   */
  public static int tasks(int paths, int cores, boolean local) {
    return Math.min(paths, local ? cores : Math.max(TASKS, TASKS_A_CORE * cores));
  }

  /** Bytes of the file. */
  public long length() {
    return length;
  }

  public long rows() {
    return rows;
  }

  /**
   * What the rows of files take in them, and which columns may take more of some than of others.
   */
  public static RowWidths widths(Collection<BaseFileFooter> footers) {
    double rows = Math.max(1, footers.stream().mapToLong(BaseFileFooter::rows).sum());
    Map<String, Bytes> variable = new TreeMap<>();
    for (BaseFileFooter footer : footers) {
      footer.variable.forEach((name, bytes) -> variable.merge(name, bytes, Bytes::plus));
    }
    variable.replaceAll((name, bytes) -> bytes.over(rows));
    return new RowWidths(footers.stream().mapToLong(footer -> footer.bytes).sum() / rows, variable);
  }

  /**
   * Whether Spark's own Parquet reader gives exactly the table's rows: the same columns in the same
   * order but for those to fill with nulls, of the same types at every depth, timestamps in the
   * table's unit where Hudi takes them to be of it.
   */
  public boolean hasTableSchema() {
    return tableSchema;
  }

  /**
   * A column of which every row has a value, as the table's schema says, and some rows of the file
   * have none. Spark's readers ask none of them whether it has, and make a value up, as 0.
   */
  public Optional<String> lackedColumn() {
    return Optional.ofNullable(lackedColumn);
  }

  private static BaseFileFooter read(Configuration conf, String path, ExpectedSchema table) {
    Path file = new Path(path);
    try {
      HadoopInputFile input = HadoopInputFile.fromPath(file, conf);
      return of(Footers.read(input, conf), input.getLength(), table);
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read the footer of base file '" + path + "'", e);
    }
  }

  private static BaseFileFooter of(ParquetMetadata footer, long length, ExpectedSchema table) {
    MessageType file = footer.getFileMetaData().getSchema();
    List<ColumnChunkMetaData> chunks =
        footer.getBlocks().stream()
            .flatMap(group -> group.getColumns().stream())
            .collect(Collectors.toList());
    return new BaseFileFooter(
        length,
        footer.getBlocks().stream().mapToLong(BlockMetaData::getRowCount).sum(),
        table.isOf(file)
            && file.getColumns().stream().noneMatch(BaseFileFooter::isSmallDecimalInBytes),
        chunks.stream().mapToLong(ColumnChunkMetaData::getTotalSize).sum(),
        variable(file, chunks, table.columns),
        lackedColumn(chunks, table.required));
  }

  private static String lackedColumn(List<ColumnChunkMetaData> chunks, Set<String> required) {
    TreeSet<String> lacked = new TreeSet<>(chunks.isEmpty() ? Set.of() : required);
    chunks.forEach(chunk -> lacked.remove(topLevel(chunk)));
    chunks.stream()
        .filter(chunk -> required.contains(topLevel(chunk)))
        // Of what is nested, nulls tell nothing of the column itself.
        .filter(chunk -> chunk.getPath().size() == 1 && chunk.getStatistics().getNumNulls() > 0)
        .forEach(chunk -> lacked.add(topLevel(chunk)));
    return lacked.isEmpty() ? null : lacked.first();
  }

  private static String topLevel(ColumnChunkMetaData chunk) {
    return chunk.getPath().toArray()[0];
  }

  /**
   * The bytes of columns whose values may differ in length, where a file writes them out; from a
   * dictionary, one takes as little as the next. Of meta columns the record key alone is the
   * user's.
   */
  private static Map<String, Bytes> variable(
      MessageType file, List<ColumnChunkMetaData> chunks, StructType table) {
    Set<String> names =
        Arrays.stream(table.fields())
            .filter(field -> FileLimit.hasLength(field.dataType()))
            .map(StructField::name)
            .filter(
                name ->
                    !HoodieRecord.HOODIE_META_COLUMNS.contains(name)
                        || name.equals(HoodieRecord.RECORD_KEY_METADATA_FIELD))
            .collect(Collectors.toSet());
    Map<String, Bytes> bytes = new HashMap<>();
    for (ColumnChunkMetaData chunk : chunks) {
      String[] path = chunk.getPath().toArray();
      boolean repeated = file.getMaxRepetitionLevel(path) > 0;
      boolean inDictionary =
          chunk.getEncodingStats() != null
              && !chunk.getEncodingStats().hasNonDictionaryEncodedPages();
      boolean binary = chunk.getPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.BINARY;
      if (names.contains(path[0]) && (repeated || (binary && !inDictionary))) {
        bytes.merge(
            path[0],
            new Bytes(chunk.getTotalSize(), chunk.getTotalUncompressedSize()),
            Bytes::plus);
      }
    }
    return bytes;
  }

  /** What files are held against. */
  private static final class ExpectedSchema implements Serializable {
    private static final long serialVersionUID = 1L;

    private final StructType columns;

    /** Null where they may be of any unit. */
    private final Map<String, List<String>> timestamps;

    private final Set<String> fillable;
    private final Set<String> required;

    ExpectedSchema(
        StructType columns,
        Map<String, List<String>> timestamps,
        Set<String> fillable,
        Set<String> required) {
      this.columns = columns;
      this.timestamps = timestamps;
      this.fillable = new HashSet<>(fillable);
      this.required = new HashSet<>(required);
    }

    boolean isOf(MessageType file) {
      StructType expected =
          new StructType(
              Arrays.stream(columns.fields())
                  .filter(
                      field -> file.containsField(field.name()) || !fillable.contains(field.name()))
                  .toArray(StructField[]::new));
      return hasColumns(file, expected)
          && (timestamps == null || timestamps.entrySet().containsAll(timestamps(file).entrySet()));
    }

    private static boolean hasColumns(MessageType file, StructType expected) {
      ParquetToSparkSchemaConverter converter =
          new ParquetToSparkSchemaConverter(false, true, true, true, false);
      try {
        return DataType.equalsIgnoreNullability(converter.convert(file), expected);
      } catch (Exception unknownToSpark) {
        // Spark refuses a Parquet type it has no counterpart for, by exceptions that Scala does not
        // declare: Hudi's reader knows what to do.
        return false;
      }
    }
  }

  /**
   * The unit and zone of everything that is a timestamp, in order, by top-level column; Spark's
   * types do not tell millis from micros. Paths below may differ: lists have two spellings.
   */
  private static Map<String, List<String>> timestamps(MessageType schema) {
    Map<String, List<String>> found = new HashMap<>();
    for (ColumnDescriptor column : schema.getColumns()) {
      LogicalTypeAnnotation type = column.getPrimitiveType().getLogicalTypeAnnotation();
      found
          .computeIfAbsent(column.getPath()[0], any -> new ArrayList<>())
          .add(type instanceof TimestampLogicalTypeAnnotation ? type.toString() : "");
    }
    return found;
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
