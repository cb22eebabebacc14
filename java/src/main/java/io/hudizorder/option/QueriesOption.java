package io.hudizorder.option;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hudizorder.layout.query.AskedPartitions;
import io.hudizorder.layout.query.AskedQuery;
import io.hudizorder.layout.query.AskedQuery.Values;
import io.hudizorder.layout.query.AskedWhen;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Queries as the option {@code hoodie.clustering.zorder.queries} has them: a JSON object with the
 * version of this form and the queries, each a list of its weight and its boxes. A box has, by
 * column, what may be read of it: {@code "null"}, or a list of a low and a high end, null where
 * there is none, and perhaps which of them are outside, such as {@code "[)"}. Where it is known
 * when they were asked, {@code "earlier"} is how many of the first ones belong to the earlier half.
 * Weights count against each other alone; {@code "unit"}, for people, is what 1 stands for:
 *
 * <pre>{@code
 * {"version": 1, "unit": 2.0, "queries": [[1.0, {"day": [["2026-11-01", "2026-12-01", "[)"]], "city": ["null"]}]]}
 * }</pre>
 *
 * <p>Ends are texts in the form of their type: numbers, {@code true}, {@code 2026-11-01}, {@code
 * 2026-11-01T12:00:00Z} or without zone, texts as they are, bytes in hexadecimal digits.
 *
 * <p>{@code "partitions"}, which need not be there, tells which partitions queries ask for: the
 * number of a query, a share of its weight, and what it asks of partition columns in this share of
 * the times, by box or once for all boxes. What the shares of a query leave is asked of every
 * partition:
 *
 * <pre>{@code
 * "partitions": [[0, 0.75, {"region": [["EU", "EU"]]}]]
 * }</pre>
 */
public final class QueriesOption {

  /** What the option says where queries of an earlier clustering are to be forgotten. */
  public static final String NONE = "none";

  private static final int VERSION = 1;
  private static final int MOST_QUERIES = 100_000;
  private static final int SHOWN = 80;
  private static final String REMEDY =
      "let hz.ZOrderTable.cluster(queries=...) or 'hudi-zorder cluster --queries' write it, or write '"
          + NONE
          + "'";

  private QueriesOption() {}

  /**
   * Reads the option's value.
   *
   * @param columns the sort columns: conditions on others are left out, and with them what would
   *     then read everything
   * @throws IllegalArgumentException with what cannot be read
   */
  public static List<AskedQuery> parse(String text, List<String> columns) {
    String value = text.trim();
    if (value.isEmpty() || value.equals(NONE)) {
      return List.of();
    }
    JsonNode root;
    try {
      root = new ObjectMapper().readTree(value);
    } catch (JsonProcessingException e) {
      throw bad(value, "it is no JSON (" + e.getOriginalMessage() + "); " + REMEDY);
    }
    int version = root.path("version").asInt();
    if (version != VERSION) {
      throw bad(value, "its version is not " + VERSION + "; " + REMEDY);
    }
    JsonNode given = root.path("queries");
    require(given.isArray() && given.size() <= MOST_QUERIES, value, "queries is no list");
    Map<Integer, List<AskedPartitions>> partitions = partitions(root.path("partitions"), value);
    List<AskedQuery> queries = new ArrayList<>();
    int earlier = root.path("earlier").asInt(-1);
    for (int q = 0; q < given.size(); q++) {
      JsonNode query = given.get(q);
      require(query.isArray() && query.size() > 1, value, "a query is no list: " + query);
      double weight = query.get(0).asDouble();
      require(weight > 0 && weight < Double.POSITIVE_INFINITY, value, "no weight: " + query);
      List<Map<String, List<Values>>> boxes = new ArrayList<>();
      for (int i = 1; i < query.size(); i++) {
        boxes.add(of(columns, conditions(query.get(i), value)));
      }
      List<AskedPartitions> asked = partitions.getOrDefault(q, new ArrayList<>());
      for (AskedPartitions one : asked) {
        int told = one.conditions().size();
        require(told == 1 || told == boxes.size(), value, "partitions of no box: " + one);
      }
      if (boxes.stream().noneMatch(Map::isEmpty)) {
        queries.add(new AskedQuery(weight, boxes, when(q, earlier), asked));
      }
    }
    return queries;
  }

  /** By the number of the query. */
  private static Map<Integer, List<AskedPartitions>> partitions(JsonNode given, String text) {
    boolean isTold = !given.isMissingNode();
    require(!isTold || given.isArray(), text, "partitions that are no list");
    Map<Integer, List<AskedPartitions>> found = new HashMap<>();
    for (JsonNode one : given) {
      double share = one.path(1).asDouble();
      require(one.size() > 2 && one.get(0).isInt() && share > 0, text, "partitions: " + one);
      List<Map<String, List<Values>>> conditions = new ArrayList<>();
      for (int i = 2; i < one.size(); i++) {
        Map<String, List<Values>> inLowerCase = new LinkedHashMap<>();
        conditions(one.get(i), text)
            .forEach((name, values) -> inLowerCase.put(name.toLowerCase(Locale.ROOT), values));
        conditions.add(inLowerCase);
      }
      found
          .computeIfAbsent(one.get(0).asInt(), first -> new ArrayList<>())
          .add(new AskedPartitions(share, conditions));
    }
    return found;
  }

  private static AskedWhen when(int query, int earlier) {
    if (earlier < 0) {
      return AskedWhen.UNKNOWN;
    }
    return query < earlier ? AskedWhen.EARLIER : AskedWhen.LATER;
  }

  private static Map<String, List<Values>> conditions(JsonNode node, String text) {
    require(node.isObject(), text, "a box is no object: " + node);
    Map<String, List<Values>> conditions = new LinkedHashMap<>();
    for (Iterator<Map.Entry<String, JsonNode>> i = node.fields(); i.hasNext(); ) {
      Map.Entry<String, JsonNode> condition = i.next();
      require(condition.getValue().isArray(), text, "a condition is no list: " + node);
      List<Values> values = new ArrayList<>();
      condition.getValue().forEach(one -> values.add(values(one, text)));
      conditions.put(condition.getKey(), values);
    }
    return conditions;
  }

  /** Those on some columns, by their names here. */
  private static Map<String, List<Values>> of(
      List<String> columns, Map<String, List<Values>> conditions) {
    Map<String, List<Values>> box = new LinkedHashMap<>();
    conditions.forEach(
        (name, values) ->
            columns.stream()
                .filter(name::equalsIgnoreCase)
                .forEach(column -> box.put(column, values)));
    return box;
  }

  private static Values values(JsonNode node, String text) {
    if (node.isTextual()) {
      require(node.textValue().equals("null"), text, "a text that is not 'null': " + node);
      return Values.NULLS;
    }
    require(node.isArray() && (node.size() == 2 || node.size() == 3), text, "no range: " + node);
    String ends = node.size() == 3 ? node.get(2).asText() : "[]";
    require(ends.matches("[\\[(][\\])]"), text, "ends that are not such as '[)': " + node);
    return new Values(
        node.get(0).isNull() ? null : node.get(0).asText(),
        node.get(1).isNull() ? null : node.get(1).asText(),
        ends.charAt(0) == '(',
        ends.charAt(1) == ')');
  }

  private static void require(boolean valid, String text, String fault) {
    if (!valid) {
      throw bad(text, "it has " + shortened(fault) + "; " + REMEDY);
    }
  }

  private static IllegalArgumentException bad(String text, String remedy) {
    return ChosenValues.bad(OwnOptions.QUERIES, shortened(text), remedy);
  }

  private static String shortened(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
  }
}
