package io.hudizorder.read;

import io.hudizorder.hudi.HudiCalls;
import io.hudizorder.hudi.SliceReader;
import java.util.List;
import java.util.OptionalLong;
import org.apache.avro.Schema;
import org.apache.hudi.common.model.FileSlice;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;

/** File slices read by Hudi's own reader, which merges logs and knows every schema and format. */
public final class MergingInput implements GroupInput {

  /** What reports call this reader. */
  public static final String READER = "merging";

  private final SparkSession spark;
  private final SliceReader reader;
  private final Schema schema;
  private final List<FileSlice> slices;
  private final OptionalLong known;
  private final RowCounts counts = new RowCounts();

  /**
   * @param schema the table's schema with meta columns
   * @param known how many rows there are, where footers tell: a reader that finds fewer may say
   *     nothing
   */
  MergingInput(
      SparkSession spark,
      SliceReader reader,
      Schema schema,
      List<FileSlice> slices,
      OptionalLong known) {
    this.spark = spark;
    this.reader = reader;
    this.schema = schema;
    this.slices = slices;
    this.known = known;
    // Without a name: Spark keeps the whole value of a named one with every task that has ended.
    spark.sparkContext().register(counts);
  }

  @Override
  public Dataset<Row> rows() {
    RowCounts seen = counts;
    JavaRDD<InternalRow> rows =
        read(schema)
            .mapPartitionsWithIndex((partition, found) -> seen.counting(partition, found), true);
    return dataset(rows, schema);
  }

  @Override
  public Dataset<Row> columns(List<String> names) {
    Schema some = HudiCalls.here().projected(schema, names);
    return dataset(read(some), some);
  }

  private JavaRDD<InternalRow> read(Schema requested) {
    SliceRows rows = new SliceRows(spark, reader, schema, requested);
    return JavaSparkContext.fromSparkContext(spark.sparkContext())
        .parallelize(slices, Math.min(slices.size(), ReadTasks.most(spark)))
        .flatMap(rows::of);
  }

  private Dataset<Row> dataset(JavaRDD<InternalRow> rows, Schema columns) {
    return spark.internalCreateDataFrame(rows.rdd(), HudiCalls.here().sparkSchema(columns), false);
  }

  @Override
  public long countedRows() {
    return known.orElseGet(counts::total);
  }

  @Override
  public List<String> readers() {
    return List.of(READER);
  }
}
