package io.hudizorder.concurrency;

import static io.hudizorder.hudi.Instants.timeOf;

import io.hudizorder.table.TableSchema;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;
import org.apache.hudi.config.HoodieWriteConfig;

/**
 * The columns that a clustering's commit gives its table: those that it had when the execution
 * began. Hudi 1.2 takes a table's schema from the commit that was requested last, though it be a
 * clustering's: a column that an older write has added meanwhile would be gone from all queries.
 */
final class KnownColumns {

  /** None where a commit does not tell. */
  private final Optional<Schema> schema;

  private KnownColumns(Optional<Schema> schema) {
    this.schema = schema;
  }

  /** Those of a table as {@link TableSchema#config} has found them. */
  static KnownColumns of(HoodieWriteConfig config) {
    return new KnownColumns(parsed(config.getSchema()));
  }

  static KnownColumns of(HoodieCommitMetadata commit) {
    return new KnownColumns(schemaOf(commit));
  }

  /**
   * @param table that has the commit
   * @param metadata of the commit
   * @throws ConcurrentWriteException when it has added a column, or given one another type
   */
  void refuse(HoodieTableMetaClient table, HoodieInstant commit, HoodieCommitMetadata metadata) {
    Optional<Schema> written = schemaOf(metadata).map(told -> TableSchema.ofFiles(table, told));
    schema
        .flatMap(known -> written.flatMap(other -> TableSchema.changedColumn(known, other)))
        .ifPresent(
            column -> {
              throw new ConcurrentWriteException(
                  String.format(
                      "write %s, which was committed since it was planned, changed the column '%s'"
                          + " of the table",
                      timeOf(commit), column));
            });
  }

  private static Optional<Schema> schemaOf(HoodieCommitMetadata commit) {
    return parsed(commit.getMetadata(HoodieCommitMetadata.SCHEMA_KEY));
  }

  private static Optional<Schema> parsed(String schema) {
    return Optional.ofNullable(schema)
        .filter(told -> !told.isEmpty())
        .map(told -> new Schema.Parser().parse(told));
  }
}
