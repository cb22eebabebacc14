package io.hudizorder;

import io.hudizorder.option.ChosenValues;
import io.hudizorder.parquet.FieldWriter;
import io.hudizorder.parquet.PageRowLimit;
import io.hudizorder.parquet.RecordKeyBloomFilter;
import io.hudizorder.parquet.RowColumns;
import io.hudizorder.parquet.UniqueValues;
import io.hudizorder.plan.slice.LayoutMark;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hudi.common.bloom.BloomFilter;
import org.apache.hudi.common.config.HoodieConfig;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.io.storage.row.HoodieRowParquetWriteSupport;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/**
 * Hudi's writer of Spark's rows, quicker and with {@link PageRowLimit}: files are the same, byte
 * for byte, but for a {@link LayoutMark}, the size of a {@link RecordKeyBloomFilter}, and the
 * dictionaries that {@link UniqueValues} gives up sooner. Rows with nested fields go Hudi's own
 * way, but for the filter of their keys.
 */
public final class RowWriter extends HoodieRowParquetWriteSupport {

  private final StructType schema;
  private final long pageRows;
  private final Map<String, String> mark;
  private Optional<FieldWriter[]> fields;
  private RecordConsumer consumer;

  /** Of the row group; none where Hudi's own way is taken. */
  private RowColumns columns;

  /** So many rows of the row group are to come before {@link UniqueValues} judges its columns. */
  private int unjudged;

  /** Called by Hudi, by name. */
  public RowWriter(
      Configuration conf, StructType schema, Option<BloomFilter> filter, HoodieConfig config) {
    super(conf, schema, RecordKeyBloomFilter.inPlaceOf(filter, config), config);
    this.schema = schema;
    this.pageRows = PageRowLimit.of(ChosenValues.of(config.getProps()));
    this.mark = LayoutMark.of(config);
  }

  @Override
  public WriteContext init(Configuration configuration) {
    WriteContext context = super.init(configuration);
    fields = FieldWriter.of(schema, context.getSchema());
    Map<String, String> footer = new HashMap<>(context.getExtraMetaData());
    footer.putAll(mark);
    return new WriteContext(context.getSchema(), footer);
  }

  /** Called once a row group, whose pages all come from one column store. */
  @Override
  public void prepareForWrite(RecordConsumer recordConsumer) {
    PageRowLimit.apply(recordConsumer, pageRows);
    consumer = recordConsumer;
    columns = fields.flatMap(each -> RowColumns.of(recordConsumer, each)).orElse(null);
    unjudged = UniqueValues.ROWS;
    super.prepareForWrite(recordConsumer);
  }

  @Override
  public void write(InternalRow row) {
    if (columns == null) {
      super.write(row);
    } else {
      columns.write(row);
    }
    if (unjudged > 0 && --unjudged == 0) {
      UniqueValues.writePlain(consumer);
    }
  }
}
