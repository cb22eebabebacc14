package io.hudizorder.table;

import io.hudizorder.layout.query.PartitionValues;
import io.hudizorder.layout.query.PartitionValues.Kind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.hudi.common.util.PartitionPathEncodeUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What a partition's folder says of the values of its columns; the twin of Python's {@code
 * partition_values.py}.
 *
 * <p>Hudi's simple and complex key generators name the folder after them, so that every row in it
 * has those values. Other generators format them, and a value that is null or empty becomes a
 * default name: nothing is concluded from these, nor from a name that may be read in two ways.
 */
public final class PartitionFolders {

  private static final Pattern VERBATIM =
      Pattern.compile("org\\.apache\\.hudi\\.keygen\\.(Simple|Complex)(Avro)?KeyGenerator");
  private static final List<String> DEFAULT_NAMES =
      List.of("__HIVE_DEFAULT_PARTITION__", "default", "");
  private static final String HIVE_STYLE = "hoodie.datasource.write.hive_style_partitioning";
  private static final String URL_ENCODED = "hoodie.datasource.write.partitionpath.urlencode";

  /** Null of a column whose values are not known by folders. */
  private final Map<String, Kind> fields;

  private final boolean hiveStyle;
  private final boolean encoded;

  private PartitionFolders(Map<String, Kind> fields, boolean hiveStyle, boolean encoded) {
    this.fields = fields;
    this.hiveStyle = hiveStyle;
    this.encoded = encoded;
  }

  /**
   * @param schema of the table
   */
  public static PartitionFolders of(HoodieTableConfig table, StructType schema) {
    Map<String, Kind> fields = new LinkedHashMap<>();
    String keyGenerator = table.getKeyGeneratorClassName();
    if (keyGenerator != null && VERBATIM.matcher(keyGenerator).matches()) {
      for (String field : table.getPartitionFields().orElse(new String[0])) {
        fields.put(field, kind(field, schema));
      }
    }
    return new PartitionFolders(fields, isSet(table, HIVE_STYLE), isSet(table, URL_ENCODED));
  }

  private static boolean isSet(HoodieTableConfig table, String key) {
    return "true".equals(table.getProps().getProperty(key));
  }

  private static Kind kind(String name, StructType schema) {
    for (StructField field : schema.fields()) {
      if (field.name().equalsIgnoreCase(name)) {
        return kind(field.dataType());
      }
    }
    return null;
  }

  private static Kind kind(DataType type) {
    if (type instanceof StringType) {
      return Kind.TEXT;
    } else if (type instanceof IntegerType || type instanceof LongType) {
      return Kind.NUMBER;
    }
    return type instanceof DateType ? Kind.DAY : null;
  }

  /**
   * What is known of a partition.
   *
   * @param path of its folder, within the table
   */
  public PartitionValues values(String path) {
    String[] parts = path.split("/", -1);
    if (parts.length != fields.size()) {
      // A value with slashes, or a date whose dashes became slashes.
      return PartitionValues.UNKNOWN;
    }
    PartitionValues values = PartitionValues.UNKNOWN;
    int place = 0;
    for (Map.Entry<String, Kind> field : fields.entrySet()) {
      String part = parts[place++];
      String name = field.getKey() + "=";
      if (hiveStyle && !part.startsWith(name)) {
        return PartitionValues.UNKNOWN;
      }
      String text = hiveStyle ? part.substring(name.length()) : part;
      if (field.getValue() != null && isClear(text)) {
        String plain = encoded ? PartitionPathEncodeUtils.unescapePathName(text) : text;
        if (!DEFAULT_NAMES.contains(plain)) {
          values = values.with(field.getKey(), field.getValue(), plain);
        }
      }
    }
    return values;
  }

  /** Hudi decodes what looks encoded, and splits what looks named, even where nothing was. */
  private boolean isClear(String text) {
    return encoded || !text.contains("%") && (hiveStyle || !text.contains("="));
  }
}
