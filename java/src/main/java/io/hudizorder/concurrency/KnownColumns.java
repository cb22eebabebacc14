package io.hudizorder.concurrency;

import static io.hudizorder.hudi.Instants.timeOf;

import io.hudizorder.table.TableSchema;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.hudi.common.model.HoodieCommitMetadata;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.timeline.HoodieInstant;

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

  /** Those of a table as its timeline was read last. */
  static KnownColumns of(HoodieTableMetaClient table) {
    return new KnownColumns(Optional.of(TableSchema.schema(table)));
  }

  static KnownColumns of(HoodieCommitMetadata commit) {
    return new KnownColumns(schemaOf(commit));
  }

  /**
   * @param metadata of the commit
   * @throws ConcurrentWriteException when it has added a column, or given one another type
   */
  void refuse(HoodieInstant commit, HoodieCommitMetadata metadata) {
    schema
        .flatMap(
            known ->
                schemaOf(metadata).flatMap(written -> TableSchema.changedColumn(known, written)))
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
    return Optional.ofNullable(commit.getMetadata(HoodieCommitMetadata.SCHEMA_KEY))
        .filter(told -> !told.isEmpty())
        .map(told -> new Schema.Parser().parse(told));
  }
}
