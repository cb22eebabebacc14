package io.hudizorder.layout.query;

import io.hudizorder.layout.query.AskedQuery.Values;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The queries of a table, and what they tell of partitions that they do not ask for.
 *
 * <p>As in {@link QueryVariations}, queries that compare the same columns in the same way are taken
 * for one template, of which they are a sample. Where such ask for one partition after another, as
 * of days, others may ask for any: also for a day that nobody has asked for yet. Where all ask for
 * the same, such as of a region, none is expected to ask for another.
 */
public final class PartitionedQueries {

  /** Queries that are the same but for their literals. */
  private static final class Template {
    /** What they ask of each partition column. */
    private final Map<String, Set<String>> asked = new HashMap<>();

    /** What all queries ask for that ask for partitions in the same way. */
    private final Set<String> ofAll;

    Template(Set<String> ofAll) {
      this.ofAll = ofAll;
    }

    void add(AskedPartitions one) {
      Map<String, String> texts = new HashMap<>();
      for (Map<String, List<Values>> conditions : one.conditions()) {
        conditions.forEach((column, values) -> texts.merge(column, values + "|", String::concat));
      }
      texts.forEach(
          (column, text) -> asked.computeIfAbsent(column, c -> new HashSet<>()).add(text));
      ofAll.add(one.conditions().toString());
    }

    Set<String> moving() {
      return asked.entrySet().stream()
          .filter(column -> column.getValue().size() > 1)
          .map(Map.Entry::getKey)
          .collect(Collectors.toSet());
    }
  }

  /** What is expected of a query whose like ask for other partitions. */
  static final class Expected {
    private final Set<String> columns;
    private final double part;

    Expected(Set<String> columns, double part) {
      this.columns = columns;
      this.part = part;
    }

    /** The partition columns of which other values may be asked. */
    Set<String> columns() {
      return columns;
    }

    /** Which part of it may be asked of any partition, in the mean of those asked for. */
    double part() {
      return part;
    }
  }

  /** Shares of a query add up to 1 but for this. */
  static final double ROUNDING = 1e-9;

  private final List<AskedQuery> all;
  private final double weight;
  private final PartitionConditions asked;
  private final Map<AskedPartitions, Expected> expected = new IdentityHashMap<>();

  public PartitionedQueries(List<AskedQuery> all) {
    this.all = all;
    this.weight = all.stream().mapToDouble(AskedQuery::weight).sum();
    this.asked = new PartitionConditions(all);
    Map<String, Set<String>> conditions = new HashMap<>();
    Map<String, Template> templates = new HashMap<>();
    Map<AskedPartitions, Template> found = new IdentityHashMap<>();
    for (AskedQuery query : all) {
      String boxes = template(query.boxes());
      for (AskedPartitions one : query.partitions()) {
        String way = template(one.conditions());
        Template template =
            templates.computeIfAbsent(
                boxes + way,
                first -> new Template(conditions.computeIfAbsent(way, other -> new HashSet<>())));
        template.add(one);
        found.put(one, template);
      }
    }
    Map<Template, Expected> ofTemplates = new HashMap<>();
    found.forEach(
        (one, template) ->
            expected.put(
                one,
                ofTemplates.computeIfAbsent(
                    template, t -> new Expected(t.moving(), 1.0 / t.ofAll.size()))));
  }

  /** Those that a partition is laid out for. */
  public ReachingQueries reaching(PartitionValues partition) {
    return new ReachingQueries(this, partition);
  }

  /** Which part of all, by weight, may read a row of a partition; as {@link #reaching} has it. */
  public double share(PartitionValues partition) {
    if (weight == 0 || partition.areUnknown()) {
      return weight == 0 ? 0 : 1;
    }
    BitSet met = asked.of(partition);
    return all.stream().mapToDouble(query -> query.weight() * share(query, met)).sum() / weight;
  }

  private double share(AskedQuery query, BitSet met) {
    double reaching = 0;
    double rest = 1;
    for (AskedPartitions one : query.partitions()) {
      rest -= one.share();
      if (asked.reaches(query, one, met)) {
        reaching += one.share();
      }
    }
    return rest > ROUNDING ? reaching + rest : reaching;
  }

  PartitionConditions conditions() {
    return asked;
  }

  List<AskedQuery> all() {
    return all;
  }

  double weight() {
    return weight;
  }

  Expected expected(AskedPartitions one) {
    return expected.get(one);
  }

  /** What boxes have in common that compare the same columns in the same way. */
  private static String template(List<Map<String, List<Values>>> boxes) {
    return boxes.stream()
        .map(
            box ->
                new TreeMap<>(box)
                    .entrySet().stream()
                        .map(asked -> asked.getKey() + template(asked.getValue()))
                        .collect(Collectors.joining()))
        .collect(Collectors.joining("|", "/", ""));
  }

  private static String template(Iterable<Values> asked) {
    Set<String> ways = new TreeSet<>();
    asked.forEach(values -> ways.add(values.template()));
    return ways.toString();
  }
}
