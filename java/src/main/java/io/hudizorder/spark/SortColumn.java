package io.hudizorder.spark;

import io.hudizorder.key.ZValue;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/** A column to cluster by, resolved against the table's schema: its path and its type. */
public final class SortColumn implements Serializable {

  private static final long serialVersionUID = 1L;

  /** The z-value's 1024 bytes hold this many 8-byte words. */
  private static final int MAX_COLUMNS = ZValue.MAX_COLUMNS;

  private static final Set<Class<? extends DataType>> ORDERED =
      Set.of(
          BooleanType.class,
          ByteType.class,
          ShortType.class,
          IntegerType.class,
          LongType.class,
          FloatType.class,
          DoubleType.class,
          DecimalType.class,
          DateType.class,
          TimestampType.class,
          TimestampNTZType.class,
          StringType.class,
          BinaryType.class);

  private final String[] path;
  private final DataType type;

  private SortColumn(String[] path, DataType type) {
    this.path = path;
    this.type = type;
  }

  /**
   * Finds the columns in a schema, in the order given; names match as Spark matches them, without
   * regard to case.
   *
   * @param names top-level names or nested paths {@code a.b}
   * @param constants columns that hold one value for all rows of a group, such as partition columns
   * @throws IllegalArgumentException naming the column and the remedy, for one that is missing,
   *     named twice, constant, not ordered by a word, or beyond the 128th
   */
  public static List<SortColumn> resolve(
      StructType schema, List<String> names, Collection<String> constants) {
    if (names.size() > MAX_COLUMNS) {
      throw new IllegalArgumentException(
          "Cannot cluster by "
              + names.size()
              + " columns: a z-value holds at most "
              + MAX_COLUMNS
              + "; name fewer sort columns");
    }
    Set<String> seen = new LinkedHashSet<>();
    List<SortColumn> resolved = new ArrayList<>();
    for (String name : names) {
      SortColumn column = resolve(schema, name);
      if (!seen.add(column.name())) {
        throw new IllegalArgumentException(
            "Cannot cluster by '" + name + "': it is named twice; name each sort column once");
      }
      if (constants.stream().anyMatch(column.name()::equalsIgnoreCase)) {
        throw new IllegalArgumentException(
            "Cannot cluster by '"
                + name
                + "': it is a partition column, which has one value in all rows of a group; leave"
                + " it out, the partitions already skip by it");
      }
      resolved.add(column);
    }
    return resolved;
  }

  private static SortColumn resolve(StructType schema, String name) {
    String[] path = name.split("\\.", -1);
    DataType type = schema;
    for (int depth = 0; depth < path.length; depth++) {
      String above = String.join(".", Arrays.copyOf(path, depth));
      if (!(type instanceof StructType)) {
        throw new IllegalArgumentException(
            String.format(
                "Cannot cluster by '%s': '%s' is of type %s and has no fields; name the column"
                    + " itself",
                name, above, type.simpleString()));
      }
      StructField field = field((StructType) type, path[depth], name, above);
      path[depth] = field.name();
      type = field.dataType();
    }
    refuseUnordered(name, type);
    return new SortColumn(path, type);
  }

  private static StructField field(StructType struct, String part, String name, String above) {
    Optional<StructField> exact = find(struct, part, false);
    return exact
        .or(() -> find(struct, part, true))
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Cannot cluster by '"
                        + name
                        + "': there is no such column"
                        + (above.isEmpty() ? "" : " in '" + above + "'")
                        + "; "
                        + Suggestion.among(
                            Arrays.stream(struct.fieldNames())
                                .filter(field -> !field.startsWith("_hoodie_"))
                                .collect(Collectors.toList()),
                            part)));
  }

  private static Optional<StructField> find(StructType struct, String part, boolean anyCase) {
    return Arrays.stream(struct.fields())
        .filter(field -> anyCase ? field.name().equalsIgnoreCase(part) : field.name().equals(part))
        .findFirst();
  }

  /** Whether a word gives the order of the type's values. */
  public static boolean hasOrder(DataType type) {
    return ORDERED.stream().anyMatch(ordered -> ordered.isInstance(type));
  }

  private static void refuseUnordered(String name, DataType type) {
    if (hasOrder(type)) {
      return;
    }
    String remedy;
    if (type instanceof StructType) {
      remedy =
          "name one of its fields, such as '"
              + name
              + "."
              + ((StructType) type).fieldNames()[0]
              + "'";
    } else if (type instanceof ArrayType || type instanceof MapType) {
      remedy = "choose a column with one value a row";
    } else {
      remedy = "choose a column of a number, decimal, date, timestamp, string or binary type";
    }
    throw new IllegalArgumentException(
        String.format(
            Locale.ROOT,
            "Cannot cluster by '%s': values of type %s have no order; %s",
            name,
            type.simpleString(),
            remedy));
  }

  /** The name as the schema writes it, nested fields joined by dots. */
  public String name() {
    return String.join(".", path);
  }

  /** The top-level column that holds the value. */
  public String root() {
    return path[0];
  }

  public DataType type() {
    return type;
  }

  /** Whether 64 bits are too few to tell all values of the type apart. */
  public boolean wide() {
    return type instanceof StringType
        || type instanceof BinaryType
        || (type instanceof DecimalType && ((DecimalType) type).precision() > 18);
  }

  /** The value as a Spark column, each part quoted. */
  public Column column() {
    return NamedColumn.of(path);
  }
}
