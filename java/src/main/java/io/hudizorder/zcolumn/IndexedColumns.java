package io.hudizorder.zcolumn;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hudi.HoodieSchemaConversionUtils;
import org.apache.hudi.common.config.DFSPropertiesConfiguration;
import org.apache.hudi.common.config.HoodieMetadataConfig;
import org.apache.hudi.common.model.HoodieRecord;
import org.apache.hudi.common.table.HoodieTableMetaClient;
import org.apache.hudi.common.table.TableSchemaResolver;
import org.apache.hudi.common.util.Option;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Map;

/**
 * The columns that a write has indexed. Hudi asks the index for those of the last write alone: one
 * that leaves the z-column out, by its list or as it is beyond the first 32, would end all skipping
 * by it.
 */
final class IndexedColumns {

  private static final String LIST = HoodieMetadataConfig.COLUMN_STATS_INDEX_FOR_COLUMNS.key();
  private static final String MOST = HoodieMetadataConfig.COLUMN_STATS_INDEX_MAX_COLUMNS.key();

  private IndexedColumns() {}

  /** The columns of a table's rows, once there are any. */
  static Optional<StructType> stored(HoodieTableMetaClient table) {
    Option<StructType> found =
        TimelineBounds.isUnwritten(table)
            ? Option.empty()
            : new TableSchemaResolver(table)
                .getTableSchemaIfPresent(false)
                .map(HoodieSchemaConversionUtils::convertHoodieSchemaToStructType);
    return Optional.ofNullable(found.orElse(null));
  }

  /**
   * The options with a list that has the z-column, where Hudi would index others alone.
   *
   * @param stored the columns that the table has, in the order in which Hudi counts them however
   *     the rows have them; all that it has, those that the rows lack, too
   * @param rows as they are written, the z-column among them
   */
  static Map<String, String> with(
      String zColumn, Map<String, String> options, Optional<StructType> stored, StructType rows) {
    String list = chosen(options, LIST, "");
    int most =
        Integer.parseInt(
            chosen(
                options,
                MOST,
                HoodieMetadataConfig.COLUMN_STATS_INDEX_MAX_COLUMNS.defaultValue().toString()));
    Stream<String> indexed =
        list.isBlank()
            ? first(stored, rows, most)
            : Arrays.stream(list.split(",")).map(String::trim);
    Set<String> names = indexed.collect(Collectors.toCollection(LinkedHashSet::new));
    return names.add(zColumn) ? options.updated(LIST, String.join(",", names)) : options;
  }

  private static String chosen(Map<String, String> options, String key, String otherwise) {
    return options
        .get(key)
        .getOrElse(() -> DFSPropertiesConfiguration.getGlobalProps().getString(key, otherwise));
  }

  /** The columns that Hudi takes without a list, but for those of nested types. */
  private static Stream<String> first(Optional<StructType> stored, StructType rows, int most) {
    return Stream.concat(stored.stream(), Stream.of(rows))
        .flatMap(schema -> Arrays.stream(schema.fields()))
        .filter(field -> !isNested(field.dataType()))
        .map(field -> field.name())
        .filter(name -> !HoodieRecord.HOODIE_META_COLUMNS_WITH_OPERATION.contains(name))
        .distinct()
        .limit(most);
  }

  private static boolean isNested(DataType type) {
    return type instanceof StructType || type instanceof ArrayType || type instanceof MapType;
  }
}
