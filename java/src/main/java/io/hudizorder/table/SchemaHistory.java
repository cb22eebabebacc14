package io.hudizorder.table;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.TableSchemaResolver;
import org.apache.hudi.common.util.Option;
import org.apache.hudi.config.HoodieWriteConfig;
import org.apache.hudi.internal.schema.InternalSchema;
import org.apache.hudi.internal.schema.Type;
import org.apache.hudi.internal.schema.utils.SerDeHelper;

/**
 * How schema on read has changed a table's columns. Hudi takes a file to have the schema that the
 * table had at the time in the file's name: what was written by another, it does not find there.
 */
public final class SchemaHistory {

  /** As Hudi has it. */
  private static final int NONE = -1;

  private final HoodieTableMetaClient table;
  private final Option<InternalSchema> latest;

  private SchemaHistory(HoodieTableMetaClient table, Option<InternalSchema> latest) {
    this.table = table;
    this.latest = latest;
  }

  public static SchemaHistory of(HoodieTableMetaClient table) {
    return new SchemaHistory(
        table, new TableSchemaResolver(table).getTableInternalSchemaFromCommitMetadata());
  }

  /** The same by a configuration that {@link TableSchema#config} has made. */
  public static SchemaHistory of(HoodieTableMetaClient table, HoodieWriteConfig found) {
    return new SchemaHistory(table, SerDeHelper.fromJson(found.getInternalSchema()));
  }

  /** What the table was evolved to, if it was and its last write tells so. */
  public Option<InternalSchema> latest() {
    return latest;
  }

  /**
   * The first column whose values Hudi would not find where they are written now, but under the
   * name of a file from then: it has another name since, or another type.
   *
   * @param instant from then
   */
  public Optional<String> changedSince(String instant) {
    if (latest.isEmpty() || latest.get().schemaId() <= Long.parseLong(instant)) {
      return Optional.empty();
    }
    InternalSchema then = at(versions(), instant).orElse(latest.get());
    return renamed(then, latest.get()).or(() -> retyped(then, latest.get()));
  }

  /**
   * Refuses to rewrite files from before a column got its name where the last write has told
   * nothing of it: a writer without schema on read has Hudi read files by the names that columns
   * have now, until one writes that reconciles its schema with the history.
   *
   * @param instants in the names of the files
   * @throws IllegalArgumentException with the column
   */
  public void requireRemembered(Stream<String> instants) {
    TreeMap<Long, InternalSchema> hidden = latest.isPresent() ? new TreeMap<>() : versions();
    instants
        .flatMap(instant -> at(hidden, instant).stream())
        .distinct()
        .flatMap(then -> renamed(then, hidden.lastEntry().getValue()).stream())
        .findFirst()
        .ifPresent(
            column -> {
              throw new IllegalArgumentException(
                  String.format(
                      "Cannot cluster: schema on read has changed what '%s' is since files of the"
                          + " plan were written, and the last write has hidden that, for it was"
                          + " made without 'hoodie.schema.on.read.enable'. As readers see such"
                          + " files now, a renamed column is null, and that would be written for"
                          + " good. Write something with that and with"
                          + " 'hoodie.datasource.write.reconcile.schema' set to 'true', and cluster"
                          + " again before others write without them",
                      column));
            });
  }

  private TreeMap<Long, InternalSchema> versions() {
    return new TableSchemaResolver(table)
        .getTableHistorySchemaStrFromCommitMetadata()
        .map(SerDeHelper::parseSchemas)
        .orElseGet(TreeMap::new);
  }

  /** The version of a time, or the first one: none where there are none. */
  private static Optional<InternalSchema> at(
      TreeMap<Long, InternalSchema> versions, String instant) {
    return Optional.ofNullable(versions.floorEntry(Long.parseLong(instant)))
        .or(() -> Optional.ofNullable(versions.firstEntry()))
        .map(Map.Entry::getValue);
  }

  /** The first column that had another name, or whose name another had. */
  private static Optional<String> renamed(InternalSchema then, InternalSchema now) {
    return first(
        now,
        column ->
            then.findIdByName(now.findFullName(column))
                != (then.getAllIds().contains(column) ? column : NONE));
  }

  private static Optional<String> retyped(InternalSchema then, InternalSchema now) {
    return first(
        now,
        column -> {
          Type type = then.findType(column);
          return type != null && !type.isNestedType() && !type.equals(now.findType(column));
        });
  }

  private static Optional<String> first(InternalSchema schema, Predicate<Integer> wanted) {
    return schema.getAllIds().stream()
        .sorted()
        .filter(wanted)
        .map(schema::findFullName)
        .findFirst();
  }
}
