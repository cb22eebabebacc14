package io.hudizorder.zcolumn;

import java.util.List;
import org.apache.hudi.common.model.WriteOperationType;
import org.apache.spark.sql.SaveMode;
import scala.collection.Map;

/** What a write does; asked of every write, so that Hudi judges what is unknown. */
final class WriteOperation {

  private static final String KEY = "hoodie.datasource.write.operation";

  private static final List<WriteOperationType> ROWLESS =
      List.of(
          WriteOperationType.DELETE,
          WriteOperationType.DELETE_PREPPED,
          WriteOperationType.DELETE_PARTITION,
          WriteOperationType.BOOTSTRAP);

  private final String name;

  private WriteOperation(String name) {
    this.name = name;
  }

  static WriteOperation of(Map<String, String> options) {
    return new WriteOperation(
        options.contains(KEY) ? options.apply(KEY) : WriteOperationType.UPSERT.value());
  }

  boolean is(WriteOperationType operation) {
    return name.equalsIgnoreCase(operation.value());
  }

  /** Whether the write, in a mode, makes the table anew, whatever there is. */
  boolean makesAnew(SaveMode mode) {
    return mode == SaveMode.Overwrite && !is(WriteOperationType.INSERT_OVERWRITE_TABLE);
  }

  /** Whether the write brings rows of its own. */
  boolean bringsRows() {
    return ROWLESS.stream().noneMatch(this::is);
  }
}
