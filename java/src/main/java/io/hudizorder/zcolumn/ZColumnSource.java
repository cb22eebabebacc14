package io.hudizorder.zcolumn;

import java.util.Optional;
import org.apache.hudi.HoodieEmptyRelation;
import org.apache.hudi.HoodieSparkSqlWriter;
import org.apache.hudi.common.schema.HoodieSchema;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.collection.immutable.Map;

/** In place of Hudi's source, where a command saves rows that have a z-column. */
final class ZColumnSource implements CreatableRelationProvider {

  private final ZColumnWrite write;

  ZColumnSource(ZColumnWrite write) {
    this.write = write;
  }

  @Override
  public BaseRelation createRelation(
      SQLContext context, SaveMode mode, Map<String, String> options, Dataset<Row> rows) {
    save(context, mode, options, rows, Option.empty());
    return new HoodieEmptyRelation(context, rows.schema());
  }

  void save(
      SQLContext context,
      SaveMode mode,
      Map<String, String> options,
      Dataset<Row> rows,
      Option<HoodieSchema> catalogSchema) {
    try {
      boolean anew = WriteOperation.of(options).makesAnew(mode);
      Optional<StructType> stored = anew ? Optional.empty() : write.storedSchema();
      Map<String, String> indexed =
          IndexedColumns.with(write.column(), options, stored, rows.schema());
      RecordingWriter.write(context, mode, indexed, rows, catalogSchema, write);
    } finally {
      HoodieSparkSqlWriter.cleanup();
    }
  }
}
