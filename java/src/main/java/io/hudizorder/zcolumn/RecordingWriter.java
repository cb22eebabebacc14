package io.hudizorder.zcolumn;

import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.hadoop.fs.Path;
import org.apache.hudi.HoodieSparkSqlWriter;
import org.apache.hudi.HoodieSparkSqlWriterInternal;
import org.apache.hudi.callback.common.WriteStatusValidator;
import org.apache.hudi.client.SparkRDDWriteClient;
import org.apache.hudi.client.WriteStatus;
import org.apache.hudi.common.config.HoodieConfig;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.exception.HoodieException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import scala.Tuple6;

/**
 * Hudi's own writer of data frames, in which somebody has a say in the commit: after all rows are
 * written, under the lock, before it is made. Hudi gives such a say to streams alone, and none to a
 * bulk insert by rows.
 */
final class RecordingWriter extends HoodieSparkSqlWriterInternal {

  private final BiConsumer<HoodieTableMetaClient, HoodieCommitMetadata> beforeCommit;

  private RecordingWriter(BiConsumer<HoodieTableMetaClient, HoodieCommitMetadata> beforeCommit) {
    this.beforeCommit = beforeCommit;
  }

  /** Writes rows and commits them. */
  static void write(
      SQLContext context,
      SaveMode mode,
      scala.collection.immutable.Map<String, String> options,
      Dataset<Row> rows,
      scala.Option<HoodieSchema> catalogSchema,
      BiConsumer<HoodieTableMetaClient, HoodieCommitMetadata> beforeCommit) {
    HoodieSparkSqlWriter.StreamingWriteParams stream =
        new HoodieSparkSqlWriter.StreamingWriteParams(
            scala.Option.empty(),
            scala.Option.empty(),
            scala.Option.empty(),
            scala.Option.apply(beforeCommit));
    Object committed =
        new RecordingWriter(beforeCommit)
            .write(
                context,
                mode,
                options,
                rows,
                scala.Option.apply(stream),
                scala.Option.empty(),
                catalogSchema)
            ._1();
    if (!(Boolean) committed) {
      throw new HoodieException("Cannot write to Hudi: the commit failed, as the log tells");
    }
  }

  @Override
  public Tuple6<
          Object,
          Option<String>,
          Option<String>,
          Option<String>,
          SparkRDDWriteClient<?>,
          HoodieTableConfig>
      bulkInsertAsRow(
          SparkRDDWriteClient<?> client,
          scala.collection.immutable.Map<String, String> parameters,
          HoodieConfig config,
          Dataset<Row> rows,
          SaveMode mode,
          String table,
          Path path,
          HoodieSchema schema,
          HoodieTableConfig tableConfig) {
    try {
      return super.bulkInsertAsRow(
          new Client<>(client), parameters, config, rows, mode, table, path, schema, tableConfig);
    } finally {
      client.close();
    }
  }

  /** A client like another, whose timeline server it shares. */
  private final class Client<T> extends SparkRDDWriteClient<T> {

    private static final long serialVersionUID = 1L;

    Client(SparkRDDWriteClient<T> other) {
      super(other.getEngineContext(), other.getConfig(), other.getTimelineServer());
    }

    @Override
    public boolean commit(
        String instant,
        JavaRDD<WriteStatus> statuses,
        Option<Map<String, String>> extraMetadata,
        String action,
        Map<String, List<String>> replaced,
        Option<BiConsumer<HoodieTableMetaClient, HoodieCommitMetadata>> nobody,
        Option<WriteStatusValidator> validator) {
      return super.commit(
          instant, statuses, extraMetadata, action, replaced, Option.of(beforeCommit), validator);
    }
  }
}
