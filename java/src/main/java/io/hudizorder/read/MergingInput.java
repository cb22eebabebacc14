package io.hudizorder.read;

import java.io.IOException;
import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.hudi.HoodieSchemaConversionUtils;
import org.apache.hudi.SparkAdapterSupport$;
import org.apache.hudi.common.config.TypedProperties;
import org.apache.hudi.common.engine.ReaderContextFactory;
import org.apache.hudi.common.model.FileSlice;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.common.schema.HoodieSchemaUtils;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.read.HoodieFileGroupReader;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.data.CloseableIteratorListener;
import org.apache.hudi.internal.schema.InternalSchema;
import org.apache.hudi.internal.schema.utils.SerDeHelper;
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
  private final HoodieSchema schema;
  private final List<FileSlice> slices;
  private final RowCounts counts = new RowCounts();

  /**
   * @param schema the table's schema with meta columns
   */
  MergingInput(
      SparkSession spark, SliceReader reader, HoodieSchema schema, List<FileSlice> slices) {
    this.spark = spark;
    this.reader = reader;
    this.schema = schema;
    this.slices = slices;
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
    HoodieSchema some = HoodieSchemaUtils.generateProjectionSchema(schema, names);
    return dataset(read(some), some);
  }

  private JavaRDD<InternalRow> read(HoodieSchema requested) {
    SliceReader sliceReader = reader;
    HoodieSchema table = schema;
    return JavaSparkContext.fromSparkContext(spark.sparkContext())
        .parallelize(slices, slices.size())
        .flatMap(slice -> sliceReader.read(slice, table, requested));
  }

  private Dataset<Row> dataset(JavaRDD<InternalRow> rows, HoodieSchema columns) {
    return SparkAdapterSupport$.MODULE$
        .sparkAdapter()
        .getUnsafeUtils()
        .createDataFrameFromRDD(
            spark,
            rows.rdd(),
            HoodieSchemaConversionUtils.convertHoodieSchemaToStructType(columns));
  }

  @Override
  public long estimatedRows() {
    return 0;
  }

  @Override
  public long countedRows() {
    return counts.total();
  }

  @Override
  public List<String> readers() {
    return List.of(READER);
  }

  /** What a task needs to read a file slice. */
  static final class SliceReader implements Serializable {

    private static final long serialVersionUID = 1L;

    private final HoodieTableMetaClient metaClient;
    private final ReaderContextFactory<InternalRow> contexts;
    private final TypedProperties properties;
    private final String internalSchema;
    private final String instant;
    private final boolean byPosition;

    SliceReader(
        HoodieTableMetaClient metaClient,
        ReaderContextFactory<InternalRow> contexts,
        TypedProperties properties,
        String internalSchema,
        String instant,
        boolean byPosition) {
      this.metaClient = metaClient;
      this.contexts = contexts;
      this.properties = properties;
      this.internalSchema = internalSchema;
      this.instant = instant;
      this.byPosition = byPosition;
    }

    Iterator<InternalRow> read(FileSlice slice, HoodieSchema table, HoodieSchema requested)
        throws IOException {
      Option<InternalSchema> evolved = SerDeHelper.fromJson(internalSchema);
      HoodieFileGroupReader<InternalRow> reader =
          HoodieFileGroupReader.<InternalRow>newBuilder()
              .withReaderContext(contexts.getContext())
              .withHoodieTableMetaClient(metaClient)
              .withLatestCommitTime(instant)
              .withFileSlice(slice)
              .withDataSchema(table)
              .withRequestedSchema(requested)
              .withInternalSchema(evolved)
              .withShouldUseRecordPosition(byPosition)
              .withProps(properties)
              .build();
      return CloseableIteratorListener.addListener(reader.getClosableIterator());
    }
  }
}
