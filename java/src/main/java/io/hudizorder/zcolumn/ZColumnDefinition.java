package io.hudizorder.zcolumn;

import static scala.collection.JavaConverters.seqAsJavaList;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hudizorder.spark.zcolumn.ZColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hudi.common.table.HoodieTableConfig;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import scala.Function2;
import scala.collection.Seq;

/**
 * What a table's z-column is made of: its name, and the names and types of its columns in order. It
 * lies in {@code hoodie.properties}, of which Hudi keeps what it does not know, so that a reader
 * finds a table to have none without opening another file.
 */
final class ZColumnDefinition {

  /** The property that holds it. */
  static final String PROPERTY = "hoodie.table.zorder.z.column";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final String name;
  private final List<String> columns;
  private final List<String> types;

  private ZColumnDefinition(String name, List<String> columns, List<String> types) {
    this.name = name;
    this.columns = columns;
    this.types = types;
  }

  /** The definition of columns as the table will have them. */
  static ZColumnDefinition of(String name, List<StructField> columns) {
    if (columns.size() > ZColumn.MAX_COLUMNS) {
      throw new IllegalArgumentException(
          String.format(
              "Cannot make the z-column '%s': it takes at most %d columns, 'columns' was of %d;"
                  + " name fewer",
              name, ZColumn.MAX_COLUMNS, columns.size()));
    }
    return new ZColumnDefinition(
        name,
        columns.stream().map(StructField::name).collect(Collectors.toList()),
        columns.stream().map(ZColumnDefinition::type).collect(Collectors.toList()));
  }

  /** The definition that a table has, if it has one. */
  static Optional<ZColumnDefinition> of(HoodieTableConfig table) {
    return Optional.ofNullable(table.getProps().getProperty(PROPERTY))
        .map(ZColumnDefinition::parse);
  }

  static ZColumnDefinition parse(String text) {
    try {
      JsonNode json = JSON.readTree(text);
      return new ZColumnDefinition(
          json.get("name").asText(), texts(json.get("columns")), texts(json.get("types")));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(
          String.format(
              "Cannot read the z-column's definition: '%s' was '%s'; remove it from"
                  + " hoodie.properties, and write the table anew",
              PROPERTY, text),
          e);
    }
  }

  static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  private static String type(StructField field) {
    return field.dataType().catalogString();
  }

  String name() {
    return name;
  }

  List<String> columns() {
    return columns;
  }

  /** The type of each column, as the catalog spells it. */
  List<String> types() {
    return types;
  }

  boolean isMadeOfAny(List<String> others) {
    return columns.stream().anyMatch(c -> others.stream().anyMatch(c::equalsIgnoreCase));
  }

  /**
   * The attributes of a relation for the z-column and after it its columns; empty when one is
   * missing or of another type than the z-column was made of.
   */
  Optional<List<Attribute>> attributes(
      Seq<? extends Attribute> output, Function2<String, String, Object> resolver) {
    List<Attribute> found = new ArrayList<>();
    List<String> names = new ArrayList<>(List.of(name));
    names.addAll(columns);
    for (String wanted : names) {
      seqAsJavaList(output).stream()
          .filter(attribute -> (Boolean) resolver.apply(attribute.name(), wanted))
          .findFirst()
          .ifPresent(found::add);
    }
    if (found.size() < names.size() || !(found.get(0).dataType() instanceof StringType)) {
      return Optional.empty();
    }
    for (int i = 0; i < types.size(); i++) {
      if (!found.get(i + 1).dataType().catalogString().equals(types.get(i))) {
        return Optional.empty();
      }
    }
    return Optional.of(found);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ZColumnDefinition && toString().equals(other.toString());
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }

  /** As it is stored. */
  @Override
  public String toString() {
    ObjectNode json = JSON.createObjectNode().put("name", name);
    json.set("columns", JSON.valueToTree(columns));
    json.set("types", JSON.valueToTree(types));
    return json.toString();
  }
}
